% k-means on all views side by side, started by farthest points.
%
% mvclust.command.Command calls it with two more arguments, the HDF5 file with the views and the
% file for the labels. Octave reads an array of shape (n_samples, n_features) transposed.

1;

function X = filled(X)
  % Missing instances, here columns of NaN, become the mean of the others.
  missing = any(isnan(X), 1);
  X(:, missing) = repmat(mean(X(:, !missing), 2), 1, sum(missing));
end

function D = distances(X, C)
  D = sum(X .^ 2, 1)' + sum(C .^ 2, 1) - 2 * X' * C;
end

arguments = argv();
given = load('-hdf5', arguments{end - 1});
X = [];
v = 1;
while isfield(given, sprintf('view_%d', v))
  view = filled(given.(sprintf('view_%d', v)));
  X = [X; view / norm(view, 'fro')];
  v += 1;
end

C = X(:, mod(given.seed, columns(X)) + 1);
while columns(C) < given.n_clusters
  [~, farthest] = max(min(distances(X, C), [], 2));
  C = [C, X(:, farthest)];
end

labels = zeros(columns(X), 1);
do
  before = labels;
  [~, labels] = min(distances(X, C), [], 2);
  for k = unique(labels)'
    C(:, k) = mean(X(:, labels == k), 2);
  end
until isequal(labels, before)
dlmwrite(arguments{end}, labels, 'precision', '%d');
