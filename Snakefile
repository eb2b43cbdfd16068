# mvclust: every table and figure of six papers on multi-view clustering.
#
#   snakemake --cores 8                                     the default slice
#   snakemake --cores 8 --configfile config/smoke.yaml      the same experiments in a minute

import sys

from mvclust.benchmark.config import ConfigError, check_config
from mvclust.benchmark.cost import forecast, read_costs
from mvclust.benchmark.lock import note_owner, release_dead_lock
from mvclust.benchmark.plan import Plan
from mvclust.benchmark.progress import Progress
from mvclust.benchmark.sources import code_hash


configfile: "config/config.yaml"


config_files = ["config/config.yaml", *workflow.overwrite_configfiles]
try:
    plan = Plan(check_config(config, workflow.basedir, config_files))
except ConfigError as error:
    sys.exit(f"{error}\nNothing was started.")

RESULTS, RESOURCES, WORK = config["results"], config["resources"], config["work"]
release_dead_lock(f"{WORK}/owner.json")
if workflow.is_main_process:
    # what a run of config/paper.yaml cost, and what the last run here did
    costs = read_costs("workflow/costs.csv", "results/costs.csv")
    print(forecast(plan, costs), file=sys.stderr)


rule all:
    input:
        f"{RESULTS}/report.html",
        f"{RESULTS}/manifest.json",


include: "workflow/rules/common.smk"
include: "workflow/rules/targets.smk"
include: "workflow/rules/fetch.smk"
include: "workflow/rules/prepare.smk"
include: "workflow/rules/mask.smk"
include: "workflow/rules/fit.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/report.smk"


onstart:
    note_owner(f"{WORK}/owner.json")
    limits = workflow.resource_settings  # a cluster has nodes, and cores only if they are given
    jobs = plan.open_jobs(f"{WORK}/fits")
    Progress(f"{WORK}/progress.jsonl").start(jobs, limits.cores or limits.nodes)
