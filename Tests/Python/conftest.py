"""Stores and servers for the tests of the Python package."""
import os
import shutil
import signal
import subprocess
import tempfile

import pytest

import daybook
from comparing import Comparing
from fake_server import FakeServer

# All results in all tests are compared with their JSON.
Comparing()

# A test runner may start this on a thread that blocks signals, which programs would inherit.
signal.pthread_sigmask(signal.SIG_SETMASK, [])

PASSPHRASE = "correct horse battery staple"
LINK = "dashwallet://pay=XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa&amount=0.25&sender=shop"


def needed(name):
    """A program or library that was built; tests that need it are skipped without it."""
    path = os.environ.get(name)
    if not path:
        pytest.skip(f"{name} is not set")
    return path


@pytest.fixture
def folder():
    """A folder with a short path: that of a socket has at most 107 bytes."""
    path = tempfile.mkdtemp(prefix="daybook-")
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def fake(folder):
    """Makes a fake server of a function, and ends it after the test."""
    servers = []

    def make(handle):
        servers.append(FakeServer(folder, handle))
        return servers[-1]

    yield make
    for server in servers:
        server.close()


@pytest.fixture(scope="session")
def template():
    """A store with a Dash wallet that has 10 coins, which takes a second to make."""
    needed("DAYBOOK_LIBRARY")
    path = tempfile.mkdtemp(prefix="daybook-")
    home = os.path.join(path, "store")
    daybook.create(home)
    with daybook.open(home) as wallets:
        wallets.wallet.add("dash", new=True, label="my", passphrase=PASSPHRASE)
        wallets.sandbox.fund("my", "10")
        wallets.sandbox.mine(count=6)
    yield home
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def home(folder, template):
    """A copy of the template for one test."""
    path = os.path.join(folder, "store")
    shutil.copytree(template, path)
    return path


@pytest.fixture
def socket_path(folder, home):
    """The socket of a server for the store."""
    path = os.path.join(folder, "socket")
    words = [needed("DAYBOOK_PROGRAM"), "serve", "--home", home, "--socket", path, "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as server:
        assert server.stdout.readline()
        yield path
        server.terminate()
        assert server.wait() == 0


@pytest.fixture(params=["socket", "library"])
def wallets(request, home):
    """The same store through both doors."""
    if request.param == "library":
        store = daybook.open(home)
    else:
        store = daybook.connect(request.getfixturevalue("socket_path"))
    with store:
        yield store
