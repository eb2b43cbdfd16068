# All that follows from the fits: scores, tables, figures, pages. One rule per entry of the registry in
# mvclust/bench/plan/products.py, which says what its jobs read, what they write, and what makes it.

for product in PRODUCTS:
    name, outputs = product.name, outputs_of(product, product.name)

    rule:
        name:
            product.rule
        input:
            unpack(inputs_of(product.rule, name)),
        output:
            *outputs,
            record=call.folders.record_of(outputs[0], product.rule, name),
        log:
            f"{LOGS}/{product.rule}{f'.{name}' if product.wildcard else ''}.log",
        wildcard_constraints:
            **({product.wildcard: one_of(product.rule)} if product.wildcard else {}),
        localrule: product.is_local
        conda:
            "../../envs/environment.yaml"
        params:
            plan=call.folders.study,
            job=f"{product.rule}/{name}",
            digest=digest_of(product.rule, name),
        script:
            "../scripts/product.py"
