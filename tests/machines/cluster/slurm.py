"""A cluster of Slurm with one node, this machine, for as long as a test needs it. Needs root, because Slurm starts jobs as
their users."""
import os
import pathlib
import shutil
import socket
import subprocess
import time

PROGRAMS = {"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client"}
# Separate ports, and no groups or accounting, which containers do not have.
CONFIGURATION = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort={port}
SlurmdPort={next_port}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
JobAcctGatherType=jobacct_gather/none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """Why no cluster can be started here; empty if one can."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    packages = sorted({package for name, package in PROGRAMS.items() if shutil.which(name, path=path) is None})
    if packages:
        return "needs the Debian packages " + ", ".join(packages)
    return "" if os.getuid() == 0 else "needs root"


def free_ports():
    """Two that follow each other."""
    while True:
        with socket.socket() as one, socket.socket() as two:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
            try:
                two.bind(("127.0.0.1", port + 1))
                return port
            except (OSError, OverflowError):
                continue


class Cluster:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(mode=0o755)
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"),
                                PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        self.daemons = []

    def __enter__(self):
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        port = free_ports()
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            folder=self.folder, host=socket.gethostname().split(".")[0], cores=os.cpu_count(), port=port,
            next_port=port + 1))
        try:
            self._start("munged", "--foreground", "--force", *(
                f"--{option}={self.folder / name}" for option, name in
                (("key-file", "key"), ("socket", "munge.socket"), ("pid-file", "munged.pid"),
                 ("log-file", "munged.log"), ("seed-file", "seed"))))
            self._wait(lambda: (self.folder / "munge.socket").exists(), "munged")
            self._start("slurmctld", "-D")
            self._start("slurmd", "-D")
            self._wait(lambda: "idle" in self.output("sinfo", "--noheader", "--format=%t"), "sinfo")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def _start(self, *words):
        self.daemons.append(subprocess.Popen(words, env=self.environment, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL))

    def _wait(self, ready, what, limit=30):
        end = time.monotonic() + limit
        while not ready():
            if time.monotonic() > end:
                raise RuntimeError(f"{what}: not ready after {limit} s: " + "".join(
                    log.read_text(errors="replace")[-500:] for log in self.folder.glob("*.log")))
            time.sleep(0.1)

    def output(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True).stdout

    def wait_for_jobs(self, limit=120):
        self._wait(lambda: not self.output("squeue", "--noheader").strip(), "squeue", limit)
