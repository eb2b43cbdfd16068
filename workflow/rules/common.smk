# What the rules ask the plan for; wildcards name a data set, a setting, a job or an experiment.


def raw_files_of_dataset(wildcards):
    return f"{RESOURCES}/raw/{plan.origin(wildcards.dataset)[0]}.json"


def code_of_reader(wildcards):
    return plan.reader_code(wildcards.dataset)


def dataset_of_setting(wildcards):
    return f"{RESOURCES}/datasets/{plan.settings[wildcards.setting].dataset}.h5"


def repetitions_of_setting(wildcards):
    return plan.repetitions[wildcards.setting]


def masks_of_job(wildcards):
    settings = plan.job_settings(wildcards.dataset, wildcards.method, wildcards.number)
    return expand(f"{WORK}/masks/{{setting}}.npz", setting=settings)


def code_of_method(wildcards):
    return plan.job_code(wildcards.method)


def digest_of_job(wildcards):
    return plan.job_digest(wildcards.dataset, wildcards.method, wildcards.number)


def fits_of_experiment(wildcards):
    names = plan.jobs_of(wildcards.id)
    return expand(f"{WORK}/fits/{{dataset}}.{{method}}.{{number}}.jsonl", zip, **names)


def masks_of_experiment(wildcards):
    return expand(f"{WORK}/masks/{{setting}}.npz", setting=plan.settings_of(wildcards.id))


def datasets_of_experiment(wildcards):
    return expand(f"{RESOURCES}/datasets/{{dataset}}.h5", dataset=plan.datasets_of(wildcards.id))


def digest_of_experiment(wildcards):
    return plan.experiment_digest(wildcards.id)


def files_of_paper(paper):
    def files(wildcards):
        experiments, statistics = plan.of_paper(paper)
        if not experiments + statistics:
            raise WorkflowError(
                f"the configuration names no experiment of {paper}; "
                "--configfile config/paper.yaml names all."
            )
        tables = expand(f"{RESULTS}/tables/{{id}}.csv", id=experiments + statistics)
        return tables + expand(f"{RESULTS}/figures/{{id}}.svg", id=experiments)

    return files


def paper_of(wildcards):
    return (plan.experiments | plan.partitions)[wildcards.id]["paper"]


def experiment_of(wildcards):
    return plan.experiments[wildcards.id]


def prepared_of_partitions(wildcards):
    return f"{RESOURCES}/datasets/{plan.dataset_of_partitions(wildcards.id)}.h5"


def prepared_of_description(wildcards):
    names = plan.described(wildcards.id)
    return expand(f"{RESOURCES}/datasets/{{dataset}}.h5", dataset=names)
