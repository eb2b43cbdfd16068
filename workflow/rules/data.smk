# Raw files, prepared data, masks.


# From the first source that has them, checksums checked.
rule download:
    input:
        unpack(inputs_of("download", "{dataset}")),
    output:
        f"{RESOURCES}/raw/{{dataset}}.json",
        record=f"{RESOURCES}/raw/{{dataset}}.json.record",
    log:
        f"{LOGS}/download.{{dataset}}.log",
    wildcard_constraints:
        dataset=one_of("download"),
    priority: 10000
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        plan=call.folders.plan_file("download", "{dataset}"),
        digest=digest_of("download", "{dataset}"),
    script:
        "../scripts/download.py"


# One canonical HDF5 file per version of a data set.
rule prepare:
    input:
        unpack(inputs_of("prepare", "{prepared}")),
    output:
        f"{RESOURCES}/datasets/{{prepared}}.h5",
        record=f"{RESOURCES}/datasets/{{prepared}}.h5.record",
    log:
        f"{LOGS}/prepare.{{prepared}}.log",
    wildcard_constraints:
        prepared=one_of("prepare"),
    priority: 10000
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        plan=call.folders.plan_file("prepare", "{prepared}"),
        digest=digest_of("prepare", "{prepared}"),
    script:
        "../scripts/prepare.py"


# Which instance is present in which view: all settings and repetitions of one data set under one
# protocol and rate.
rule masks:
    input:
        unpack(inputs_of("masks", "{of}/{protocol}-{rate}")),
    output:
        f"{WORK}/masks/{{of}}/{{protocol}}-{{rate}}.npz",
        record=f"{WORK}/masks/{{of}}/{{protocol}}-{{rate}}.npz.record",
    log:
        f"{LOGS}/masks.{{of}}.{{protocol}}-{{rate}}.log",
    wildcard_constraints:
        of="[^/]+",
        protocol="[a-z]+",
        rate="[0-9.e-]+",
    priority: 10000
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        plan=call.folders.plan_file("masks", "{of}/{protocol}-{rate}"),
        digest=digest_of("masks", "{of}/{protocol}-{rate}"),
    script:
        "../scripts/masks.py"
