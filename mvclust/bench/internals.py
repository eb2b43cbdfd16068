"""What is taken from inside Snakemake (9.20 to 9.27); nothing else in the project looks there."""

import contextlib
import os
import time

PATIENCE = 1800  # seconds for which a cluster may not answer
FORGOTTEN = 300  # seconds after the end of a job for which a cluster knows of it, at least


class Inside:
    """The workflow of Snakemake, of which the project asks nothing else."""

    def __init__(self, workflow):
        self.workflow = workflow

    def is_main(self):
        """Whether this process plans: jobs on a cluster read the Snakefile again, and must not."""
        return self.workflow.is_main_process

    def is_module(self):
        """Whether another workflow takes this one as a module: its `onstart` is then not called."""
        return self.workflow.modifier.is_module

    def config_files(self):
        """The files of ``--configfile``: mistakes are named with their file and line."""
        return list(self.workflow.config_settings.configfiles)

    def takes_config_file(self):
        """Whether a config file of the working directory counts: not if a module gets its own."""
        return not self.workflow.modifier.skip_configfile

    def command_line_config(self):
        """The keys of ``--config``: mistakes in them are named as such."""
        return self.workflow.config_settings.config

    def resources_in_profile(self, rule):
        """What ``set-resources`` of a profile says of a rule; it is read after the rules."""
        given = self.workflow.resource_settings.overwrite_resources.get(rule, {})
        return {name: value.raw for name, value in given.items()}

    def number_of_workers(self):
        """How many jobs may run at a time; None if that is not limited."""
        settings = self.workflow.resource_settings
        return settings.cores if settings.nodes is None else settings.nodes

    def cores(self):
        """The value of ``--cores``; None on a cluster."""
        return self.workflow.resource_settings.cores

    def runs_jobs(self):
        """Whether jobs will run (not with -n, --touch, --dag, ...), once inputs are asked for."""
        runs = self.workflow.executor_plugin is not None
        return runs and not (self.workflow.dryrun or self.workflow.touch)

    def is_dry_run(self):
        """Whether jobs are listed only, with -n."""
        return getattr(self.workflow, "dryrun", False)

    def targets(self):
        """Names of rules and files that are asked for."""
        return [*map(str, self.workflow.dag.targetrules), *map(str, self.workflow.dag.targetfiles)]

    def force(self, output):
        """Have a file made again, as ``--forcerun`` would: reasons of our own cannot be given."""
        self.workflow.dag.forcefiles.add(output)

    def is_forced(self, rule):
        """Whether ``--forceall`` or ``--forcerun`` asks for the outputs of a rule anew."""
        settings = self.workflow.dag_settings
        return settings.forceall or rule in settings.forcerun

    def scripts_to_run(self):
        """The jobs with a script that Snakemake is about to run, to say how far the run is."""
        return [job for job in self.workflow.dag.needrun_jobs() if job.is_script]

    def scripts_asked_for(self):
        """The jobs with a script that were asked for, done before or now."""
        return [job for job in self.workflow.dag.jobs if job.is_script]

    def left_in_queue(self):
        """The names that a cluster gave to unfinished jobs of an earlier run."""
        names = map(self.workflow.persistence.external_jobids, self.workflow.dag.needrun_jobs())
        return sorted({name for of_job in names for name in of_job})

    def executor(self):
        """Name and settings of the executor: they say how a job is taken out of the queue."""
        return self.workflow.executor_plugin.name, self.workflow.executor_settings

    def stop_timers(self):
        """Drop the timers of finished jobs, which wake the scheduler (its pull request 3744)."""
        limit = self.workflow.scheduling_settings.max_jobs_per_timespan
        if limit and (limit.max_jobs, limit.timespan) == (100, 1):
            self.workflow.scheduler.job_rate_limiter = None

    def wait_for_answers(self):
        """Ask again for jobs whose state the plugin for Slurm (2.8.0) could not learn and drops."""
        executor = self.workflow.scheduler._executor
        if hasattr(executor, "check_active_jobs"):
            executor.check_active_jobs = _Asked(executor).check


class _Asked:
    """The jobs of an executor as it reports them, and those that it forgets to."""

    def __init__(self, executor):
        self.ask, self.since, self.ended = executor.check_active_jobs, None, set()
        self.success, self.error = executor.report_job_success, executor.report_job_error
        executor.report_job_success = self._report_success
        executor.report_job_error = self._report_error

    async def check(self, jobs):
        """Give the jobs that go on, as `check_active_jobs` does."""
        self.ended, going_on = set(), []
        async for job in self.ask(jobs):
            going_on.append(job)
        told = self.ended | set(map(id, going_on))
        unknown = [job for job in jobs if id(job) not in told]
        self.since = (self.since or time.monotonic()) if unknown else None
        for job in [*going_on, *unknown]:
            if _is_done(job.job):
                self.success(job)
            elif id(job) in told or time.monotonic() - self.since < PATIENCE:
                yield job
            else:
                self.error(job, msg=f"The cluster has not answered for {PATIENCE / 60:g} minutes.")

    def _report_success(self, job):
        self.ended.add(id(job))
        self.success(job)

    def _report_error(self, job, msg=None, aux_logs=None):
        self.ended.add(id(job))
        self.error(job, msg=msg, aux_logs=aux_logs)


def _is_done(job):
    """Whether a job has long made its files, of which the record is the last."""
    with contextlib.suppress(OSError):
        return time.time() - os.stat(str(job.output[-1])).st_mtime > FORGOTTEN
    return False
