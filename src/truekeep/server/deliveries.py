"""Sending to webhooks: a task for each, so that a receiver that is slow or gone delays nobody else.

Every process of a server, and every server of a store, has these tasks; a lease in the store says who sends.
"""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
from contextlib import suppress
from functools import partial

import httpx

from truekeep._version import __version__
from truekeep.engine import deliveries
from truekeep.engine.deliveries import Outcome, Task
from truekeep.engine.webhooks import Kept, Webhooks, everywhere
from truekeep.errors import NotFound, StoreError, TruekeepError
from truekeep.model import SpaceId
from truekeep.remote.line import certificate_problem

from .desk import Desk
from .receivers import Receivers, Unreachable
from .watcher import Watcher, place_of

log = logging.getLogger(__name__)

LIMIT = 10.0  # seconds for an attempt, from looking up the name to the answer's headers
LOOK = 2.0  # seconds between two looks for new webhooks, and for what is due
_REST = 0.1  # after a change: what comes with it is told together
_CONNECT = 4.0


class Sender:
    """One attempt at a time: signed, to an address that was checked, without proxies and redirects."""

    def __init__(self, receivers: Receivers) -> None:
        self._receivers = receivers
        self._client: httpx.AsyncClient | None = None

    async def send(self, kept: Kept, headers: dict[str, str], body: bytes) -> Outcome:
        """Send this, and tell whether it was taken. Never raises for what the receiver does."""
        try:
            async with asyncio.timeout(LIMIT):
                status = await self._posted(self._receivers.admit(kept.url), headers, body)
        except TimeoutError:
            return Outcome(error=f"no answer within {LIMIT:g} seconds")
        except (Unreachable, TruekeepError) as error:
            return Outcome(error=str(error))
        except httpx.HTTPError as error:
            certificate = certificate_problem(error)
            said = "no answer" if certificate is None else f"its certificate is not trusted: {certificate}"
            return Outcome(error=f"{said} ({type(error).__name__})")
        is_taken = 200 <= status < 300
        hint = "; redirects are not followed" if 300 <= status < 400 else ""
        return Outcome(status=status, error="" if is_taken else f"answered {status}{hint}")

    async def _posted(self, url: httpx.URL, headers: dict[str, str], body: bytes) -> int:
        *others, last = await self._receivers.addresses(url)
        for address in others:
            with suppress(httpx.ConnectError, httpx.ConnectTimeout):
                return await self._post(url, address, headers, body)
        return await self._post(url, last, headers, body)

    async def _post(self, url: httpx.URL, address: str, headers: dict[str, str], body: bytes) -> int:
        """The status of the answer; what else it says is left unread."""
        if self._client is None:
            self._client = _client()
        request = self._client.build_request(
            "POST",
            url.copy_with(host=address),
            content=body,
            headers={**headers, "Host": url.netloc.decode("ascii"), "Content-Type": "application/json"},
            extensions={"sni_hostname": url.raw_host.decode("ascii")},  # whose certificate it has to be
        )
        answer = await self._client.send(request, stream=True)
        await answer.aclose()
        return answer.status_code

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()


def _client() -> httpx.AsyncClient:
    return httpx.AsyncClient(
        headers={"User-Agent": f"truekeep/{__version__}"},
        verify=httpx.create_ssl_context(),
        trust_env=False,  # a proxy would look the name up again
        follow_redirects=False,
        timeout=httpx.Timeout(LIMIT, connect=_CONNECT),
        # None is kept: a pool knows connections by address, and two names may have the same.
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
    )


class Deliveries:
    """Sends to the webhooks of all tenants, from when it is started until it is closed."""

    def __init__(self, desk: Desk, watcher: Watcher) -> None:
        self._desk = desk
        self._watcher = watcher
        self.sender = Sender(desk.receivers)
        self._holder = secrets.token_hex(8)
        self._following: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._sending: set[tuple[str, str]] = set()  # and it is not noted yet what became of it
        self._ends = False
        # Without a host that may be sent to there is nothing to look for.
        self._task = asyncio.create_task(self._look()) if desk.receivers.there_are else None

    def stop(self) -> None:
        """Begin nothing new."""
        self._ends = True

    async def close(self) -> None:
        """Leave what is being sent to whoever comes next; they need not wait for the end of a lease."""
        self.stop()
        tasks = [*([self._task] if self._task else []), *self._following.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._desk.readiness.has_store:
            with suppress(StoreError):
                await self._desk.run(self._release)
        await self.sender.close()

    def _release(self) -> None:
        for tenant, id in self._sending:
            deliveries.release(self._of(tenant), id, self._holder, now=self._desk.clock())

    async def _look(self) -> None:
        """Follow the webhooks that there are; others may add some at any time."""
        while not self._ends:
            if self._desk.readiness.has_store:
                try:
                    for one in await self._desk.run(partial(everywhere, self._desk.store)):
                        if one not in self._following:
                            self._following[one] = asyncio.create_task(self._follow(*one))
                except Exception:  # it goes on until the server ends
                    log.exception("looking for webhooks failed")
            await asyncio.sleep(LOOK)

    def _of(self, tenant: str) -> Webhooks:
        return Webhooks(self._desk.store, tenant)

    async def _follow(self, tenant: str, id: str) -> None:
        while not self._ends:
            try:
                await self._step(tenant, id)
            except NotFound:  # it was dropped
                break
            except StoreError as error:
                log.debug("webhook %s waits for the store: %s", id, type(error).__name__)
                await asyncio.sleep(LOOK)
            except Exception:  # it goes on until the server ends
                log.exception("webhook %s failed", id)
                await asyncio.sleep(LOOK)
        del self._following[tenant, id]

    async def _step(self, tenant: str, id: str) -> None:
        """Send what there is to send, or wait for it."""
        desk, own = self._desk, SpaceId.own(tenant)

        def look() -> tuple[int, Task | None]:
            place = place_of(desk.store, own)  # first: what comes meanwhile is not slept through
            return place, deliveries.claim(self._of(tenant), id, self._holder, now=desk.clock())

        place, task = await desk.run(look)
        if task is not None:
            await self._deliver(tenant, task)
        else:
            await self._watcher.moved(own, place, LOOK)
            await asyncio.sleep(_REST)

    async def _deliver(self, tenant: str, task: Task) -> None:
        desk, kept, id = self._desk, task.webhook, task.delivery.id
        headers = deliveries.headers(kept.secret, id, task.body, now=desk.clock())
        self._sending.add((tenant, kept.id))
        outcome = await self.sender.send(kept, headers, task.body)
        is_dead = await desk.run(partial(self._note, tenant, task, outcome))
        self._sending.discard((tenant, kept.id))
        desk.metrics.sent("dead" if is_dead else "failed" if outcome.error else "delivered")
        if outcome.error:
            said = "webhook %s: attempt %d at delivery %s failed: %s"
            attempt = task.delivery.attempts + 1
            log.warning(said, kept.id, attempt, id, outcome.error, extra={"tenant": tenant, "key": kept.key})

    def _note(self, tenant: str, task: Task, outcome: Outcome) -> bool:
        """What became of it; in the audit, too, since what failed may have been read. Whether it is given up."""
        events, key = task.feed.events, task.webhook.key
        for space in dict.fromkeys(event.space for event in events if key):
            ids = [event.id for event in events if event.space == space and event.id]
            self._desk.audit.note(SpaceId(tenant, space), key, "webhook", ids, "failed" if outcome.error else "done")
        now = self._desk.clock()
        return deliveries.settle(self._of(tenant), task, outcome, now=now, chance=random.random())
