"""The REST API, in the order in which its document tells it."""

from __future__ import annotations

from fastapi import APIRouter

from . import feed, memories, operation, recall, spaces, tenants, values, webhooks

_ROUTES = (
    *(memories.routes, recall.routes, memories.doubts, spaces.moments, values.routes, spaces.routes),
    *(
        feed.routes,
        webhooks.routes,
        tenants.keys,
        tenants.tenants,
        tenants.erasures,
        operation.audits,
        operation.routes,
    ),
)
routers: tuple[APIRouter, ...] = tuple(routes.router for routes in _ROUTES)
