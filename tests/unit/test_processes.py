"""What was started is ended with whoever started it."""

import os
import signal
import subprocess

import pytest

from rowgate.embedded.processes import end_group, ended_by


def test_a_signal_ends_the_block_as_ctrl_c_does():
    with pytest.raises(KeyboardInterrupt), ended_by(signal.SIGTERM):
        os.kill(os.getpid(), signal.SIGTERM)


def test_after_the_block_a_signal_means_what_it_did_before():
    before = signal.getsignal(signal.SIGTERM)
    with ended_by(signal.SIGTERM):
        pass
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_group_ends_with_its_leader_already_gone():
    leader = subprocess.Popen(["/bin/sh", "-c", "sleep 600 & echo $!"], stdout=subprocess.PIPE, start_new_session=True)
    leader.stdout.readline()
    leader.wait()
    end_group(leader)
    with pytest.raises((ProcessLookupError, PermissionError)):
        os.killpg(leader.pid, 0)
    leader.stdout.close()
