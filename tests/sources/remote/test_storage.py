"""Storages through fsspec: a real S3 server, a real SSH server, and what needs no server."""

import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from masis.errors import Forbidden, InvalidInput, SourceUnavailable, UnreadableFile
from masis.sources.remote.listing import Listing, address_of
from tests.support.servers import free_port
from tests.support.waiting import is_listening, wait_until

Look = Callable[..., Listing]
NAMES = ["one.md", "sub folder/zwei ü.txt"]


def contents(listing: Listing) -> dict[str, bytes]:
    return {file.name: file.read() for file in listing.files}


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch, files: Path) -> Iterator[str]:
    boto3 = pytest.importorskip("boto3")
    server = pytest.importorskip("moto.server").ThreadedMotoServer(port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    environment = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    client = boto3.client("s3")
    client.create_bucket(Bucket="acme")
    for path in files.rglob("*"):
        if path.is_file():
            client.upload_file(str(path), "acme", f"reports/{path.relative_to(files).as_posix()}")
    yield "s3://acme/reports"
    client.close()
    server.stop()


@pytest.mark.filterwarnings("ignore")
def test_an_s3_bucket(bucket: str, files: Path, listing_of: Look) -> None:
    import boto3

    first = listing_of(bucket)
    assert contents(first) == {name: (files / name).read_bytes() for name in NAMES}
    assert [file.place for file in first.files] == [f"{bucket}/{name}" for name in NAMES]
    again = listing_of(bucket)
    assert [file.version for file in again.files] == [file.version for file in first.files]
    client = boto3.client("s3")
    client.put_object(Bucket="acme", Key="reports/one.md", Body=b"changed")
    client.copy_object(Bucket="acme", Key="reports/new.txt", CopySource="acme/reports/sub folder/zwei ü.txt")
    later = {file.name: file for file in listing_of(bucket).files}
    assert later["one.md"].version != first.files[0].version
    assert later["new.txt"].identity == first.files[1].identity, "a copy is known by its content"
    with pytest.raises(SourceUnavailable):
        listing_of("s3://no-such-bucket/x")
    with pytest.raises(UnreadableFile, match="larger"):
        listing_of(bucket, max_file_bytes=3).files[0].read()
    client.close()


SSHD = shutil.which("sshd") or "/usr/sbin/sshd"


@pytest.fixture
def ssh(tmp_path: Path, files: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if not Path(SSHD).exists():
        pytest.skip("no sshd: `make test` installs it")
    pytest.importorskip("paramiko")
    home = tmp_path / "ssh"
    (home / ".ssh").mkdir(parents=True, mode=0o700)
    for key in (home / "host_key", home / ".ssh" / "id_ed25519"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    shutil.copyfile(home / ".ssh" / "id_ed25519.pub", home / "authorized")
    port = free_port()
    host_key = (home / "host_key.pub").read_text().split()
    (home / ".ssh" / "known_hosts").write_text(f"[127.0.0.1]:{port} {host_key[0]} {host_key[1]}\n")
    (home / "config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {home}/host_key\nAuthorizedKeysFile {home}/authorized\n"
        "PasswordAuthentication no\nStrictModes no\nUsePAM no\nPidFile none\nSubsystem sftp internal-sftp\n"
    )
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    server = subprocess.Popen([SSHD, "-D", "-e", "-f", home / "config"], stderr=subprocess.DEVNULL)
    monkeypatch.setenv("HOME", str(home))
    wait_until(lambda: is_listening(port))
    yield f"127.0.0.1:{port}"
    server.terminate()
    server.wait()


@pytest.mark.filterwarnings("ignore")
def test_a_folder_over_sftp(ssh: str, files: Path, listing_of: Look) -> None:
    import getpass

    found = listing_of(f"sftp://{getpass.getuser()}@{ssh}{files}")
    assert contents(found) == {name: (files / name).read_bytes() for name in NAMES}
    assert all(file.version for file in found.files)
    with pytest.raises(SourceUnavailable):
        listing_of(f"sftp://{getpass.getuser()}@{ssh}/no/such/folder")


def test_inside_a_zip_file(tmp_path: Path, files: Path, listing_of: Look) -> None:
    pytest.importorskip("fsspec")
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for name in NAMES:
            packed.write(files / name, name)
    address = f"zip::{archive}"
    found = listing_of(address)
    assert contents(found) == {name: (files / name).read_bytes() for name in NAMES}
    assert found.files[0].place == f"{address}/one.md"
    with pytest.raises(SourceUnavailable):
        listing_of(f"zip::{tmp_path / 'none.zip'}")


def test_what_is_not_installed_says_how_to_install_it(listing_of: Look) -> None:
    with pytest.raises(InvalidInput) as refused:
        listing_of("az://container/folder")
    assert refused.value.advice == "Install it with: pip install 'masis[azure]'"
    with pytest.raises(InvalidInput, match="nosuch"):
        listing_of("nosuch://x")


def test_a_password_in_an_address_is_refused() -> None:
    with pytest.raises(InvalidInput, match="password"):
        address_of("sftp://ada:secret@host/x")


def test_through_the_service_only_what_is_allowed_is_read(files: Path, listing_of: Look) -> None:
    for address in (str(files), "s3://acme/x", "sftp://host/x", f"zip::{files}/x.zip", "imap://host/INBOX"):
        with pytest.raises(Forbidden, match="may not be read"):
            listing_of(address, is_trusted=False)
    allowed = {"is_trusted": False, "sync_allowed": f"s3://acme, {files}/sub folder/"}
    assert len(listing_of(f"{files}/sub folder", **allowed).files) == 1
    for address in (f"{files}", f"{files}/sub folder-2", f"{files}/sub folder/../one.md", "s3://acme-2/x"):
        with pytest.raises(Forbidden, match="may not be read"):
            listing_of(address, **allowed)


def test_through_the_service_a_link_does_not_lead_out_of_its_folder(files: Path, listing_of: Look) -> None:
    (files / "sub folder" / "out.md").symlink_to(files / "one.md")
    found = listing_of(f"{files}/sub folder", is_trusted=False, sync_allowed=str(files / "sub folder"))
    assert [file.name for file in found.files] == ["zwei ü.txt"]
