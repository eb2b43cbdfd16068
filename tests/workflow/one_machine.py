"""A Slurm of this machine alone, from the system's packages, in a folder of its own.

Nothing outside the folder is written: the commands that Slurm's users call are wrapped so that they
find the configuration there.
"""

import contextlib
import os
import platform
import pwd
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import psutil

DAEMONS = ("munged", "slurmctld", "slurmd")
COMMANDS = ("sbatch", "squeue", "scancel", "sinfo", "scontrol", "sacct", "srun", "sacctmgr")
FOLDERS = ("/usr/sbin", "/usr/local/sbin")
PARTITION = "debug"
PATIENCE = 30  # seconds for a daemon to answer


def missing_programs(accounting=False):
    """The programs that are not installed here."""
    needed = [*DAEMONS, *COMMANDS] + (["slurmdbd", "mariadbd"] if accounting else [])
    return [name for name in needed if _find(name) is None]


class OneMachineSlurm:
    """A context in which Slurm runs so many jobs at a time; `environment` is for its commands.

    The path of the folder is short: sockets lie in it. With `accounting`, finished jobs are kept in
    a database, as most clusters do.
    """

    def __init__(self, folder, cpus=2, accounting=False):
        self.folder, self.cpus, self.accounting = Path(folder), cpus, accounting
        self.conf = self.folder / "slurm.conf"
        self.environment = dict(os.environ)
        self.daemons = {}
        self.ports = _free_ports("slurmctld", "slurmd", "slurmdbd", "mariadbd")

    def __enter__(self):
        for name in ("state", "spool", "bin", "log"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self._wrap_commands()
        self.conf.write_text(self._configuration())
        try:
            self._start_munge()
            if self.accounting:
                self._start_database()
            self.start_controller()
            self.start_node()
            self._wait(self._is_idle, "the node did not come up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        with contextlib.suppress(subprocess.SubprocessError):
            self.run("scancel", "--user", str(os.getuid()))
        for daemon in reversed(self.daemons.values()):
            _stop(daemon)

    def run(self, *command, check=True):
        """What a command prints."""
        answer = subprocess.run(
            [str(part) for part in command],
            env=self.environment, capture_output=True, text=True, check=check, timeout=PATIENCE,
        )  # fmt: skip
        return answer.stdout

    def jobs(self):
        """The jobs in the queue: a list of (id, state)."""
        lines = self.run("squeue", "--noheader", "--format", "%i %T").splitlines()
        return [tuple(line.split()) for line in lines]

    def start_node(self):
        """Start the daemon that runs the jobs."""
        self._start("slurmd", "-D")

    def stop_node(self):
        """Kill it; the jobs that it runs live on."""
        daemon = self.daemons.pop("slurmd")
        daemon.send_signal(signal.SIGKILL)
        daemon.wait()

    def stop_controller(self):
        """End the daemon that knows of the jobs, which saves them; they live on."""
        _stop(self.daemons.pop("slurmctld"))

    def start_controller(self):
        self._start("slurmctld", "-D")

    def _configuration(self):
        host = platform.node().partition(".")[0]
        memory = int(psutil.virtual_memory().total / 2**20 * 0.9)
        lines = [
            "ClusterName=one",
            f"SlurmctldHost={host}(127.0.0.1)",
            f"SlurmctldPort={self.ports['slurmctld']}",
            f"SlurmdPort={self.ports['slurmd']}",
            "AuthType=auth/munge",
            f"AuthInfo=socket={self.folder}/munge.socket",
            f"SlurmUser={_user()}",
            f"SlurmdUser={_user()}",
            f"StateSaveLocation={self.folder}/state",
            f"SlurmdSpoolDir={self.folder}/spool",
            f"SlurmctldPidFile={self.folder}/slurmctld.pid",
            f"SlurmdPidFile={self.folder}/slurmd.pid",
            "ProctrackType=proctrack/linuxproc",
            "TaskPlugin=task/none",
            "JobAcctGatherType=jobacct_gather/none",
            "SelectType=select/cons_tres",
            "SelectTypeParameters=CR_CPU_Memory",
            "SchedulerParameters=batch_sched_delay=0,sched_interval=2",
            "ReturnToService=2",
            "SlurmdTimeout=20",
            f"NodeName={host} NodeAddr=127.0.0.1 CPUs={self.cpus} RealMemory={memory} "
            "State=UNKNOWN",
            f"PartitionName={PARTITION} Nodes={host} Default=YES MaxTime=INFINITE State=UP",
        ]
        if self.accounting:
            lines += [
                "AccountingStorageType=accounting_storage/slurmdbd",
                "AccountingStorageHost=127.0.0.1",
                f"AccountingStoragePass={self.folder}/munge.socket",
                f"AccountingStoragePort={self.ports['slurmdbd']}",
            ]
        else:
            lines += ["AccountingStorageType=accounting_storage/none"]
        return "\n".join(lines) + "\n"

    def _wrap_commands(self):
        for name in COMMANDS:
            wrapper = self.folder / "bin" / name
            wrapper.write_text(f'#!/bin/sh\nSLURM_CONF={self.conf} exec {_find(name)} "$@"\n')
            wrapper.chmod(0o755)
        self.environment["PATH"] = f"{self.folder / 'bin'}:{os.environ['PATH']}"

    def _start_munge(self):
        key = self.folder / "munge.key"
        if not key.exists():
            key.write_bytes(os.urandom(128))
            key.chmod(0o400)
        os.chmod(self.folder, 0o755)
        names = {"key-file": key}
        names |= {n: self.folder / f"munge.{n.partition('-')[0]}" for n in ("socket", "seed-file")}
        names |= {"pid-file": self.folder / "munge.pid", "log-file": self.folder / "log/munge"}
        options = [f"--{name}={value}" for name, value in names.items()]
        self._start("munged", "--foreground", "--force", *options)
        self._wait((self.folder / "munge.socket").exists, "munge did not start")

    def _start_database(self):
        data, socket = self.folder / "db", self.folder / "db.socket"
        if not data.exists():
            install = ["mariadb-install-db", f"--datadir={data}", f"--user={_user()}"]
            subprocess.run(
                [*install, "--auth-root-authentication-method=normal", "--skip-test-db"],
                check=True, capture_output=True,
            )  # fmt: skip
        self._start(
            "mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={socket}",
            f"--user={_user()}", f"--port={self.ports['mariadbd']}", "--bind-address=127.0.0.1",
            f"--pid-file={self.folder}/db.pid",
        )  # fmt: skip
        self._wait(socket.exists, "the database did not start")
        conf = self.folder / "slurmdbd.conf"
        conf.write_text("\n".join([
            "AuthType=auth/munge",
            f"AuthInfo=socket={self.folder}/munge.socket",
            "DbdHost=localhost",
            f"DbdPort={self.ports['slurmdbd']}",
            f"SlurmUser={_user()}",
            f"PidFile={self.folder}/slurmdbd.pid",
            "StorageType=accounting_storage/mysql",
            "StorageHost=127.0.0.1",
            f"StoragePort={self.ports['mariadbd']}",
            "StorageUser=root",
        ]) + "\n")  # fmt: skip
        conf.chmod(0o600)
        self._start("slurmdbd", "-D")  # it looks beside slurm.conf
        self._wait(self._has_cluster, "the accounting did not start")

    def _has_cluster(self):
        self.run("sacctmgr", "--immediate", "add", "cluster", "one", check=False)
        return "one" in self.run("sacctmgr", "--noheader", "list", "cluster", check=False)

    def _is_idle(self):
        return "idle" in self.run("sinfo", "--noheader", "--format", "%T", check=False)

    def _start(self, name, *arguments):
        with open(self.folder / "log" / f"{name}.out", "ab") as log:
            self.daemons[name] = subprocess.Popen(
                [_find(name), *map(str, arguments)],
                env=os.environ | {"SLURM_CONF": str(self.conf)},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip

    def _wait(self, is_ready, problem):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with contextlib.suppress(subprocess.TimeoutExpired):
                if is_ready():
                    return
            time.sleep(0.3)
        logs = "".join(path.read_text() for path in sorted(self.folder.glob("log/*.out")))
        raise RuntimeError(f"{problem}:\n{logs[-3000:]}")


def _find(name):
    path = os.pathsep.join([os.environ.get("PATH", ""), *FOLDERS])
    return shutil.which(name, path=path)


def _free_ports(*names):
    """A port for each name that nothing uses now."""
    with contextlib.ExitStack() as open_until_all_are_found:
        ports = {}
        for name in names:
            listener = open_until_all_are_found.enter_context(socket.socket())
            listener.bind(("127.0.0.1", 0))
            ports[name] = listener.getsockname()[1]
    return ports


def _user():
    return pwd.getpwuid(os.getuid()).pw_name


def _stop(daemon):
    daemon.terminate()
    try:
        daemon.wait(timeout=10)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()
