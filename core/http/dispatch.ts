import type { default as Router, Layer } from '@koa/router'
import type { Context as KoaContext, Middleware } from 'koa'

/** A route, and its place in the order in which routes were registered. */
interface Entry {
  place: number
  layer: Layer
  handle: (ctx: KoaContext & { params: Record<string, string> }, next: () => Promise<unknown>) => unknown
}

/** The routes of a method by the beginning that their paths have, in order, and the length of the longest beginning. */
interface Starts {
  of: Map<string, Entry[]>
  longest: number
}

/**
 * Leads requests to the routes of a router, as the router itself would: the first that fits. The router asks every route
 * there is about every request, which grows with the API; here only those are asked whose fixed
 * beginning the path has.
 */
export function dispatch(router: Router): Middleware {
  const routes = new Map<string, Starts>()
  for (const [place, layer] of router.stack.entries()) {
    const [handle, ...others] = layer.stack
    if (typeof layer.path !== 'string' || layer.methods.length === 0 || handle === undefined || others.length > 0) {
      throw new Error(`${String(layer.path)} is no route with one handler`)
    }
    for (const method of layer.methods) {
      const starts = routes.get(method) ?? { of: new Map<string, Entry[]>(), longest: 0 }
      const start = fixedStart(layer.path)
      starts.of.set(start, [...starts.of.get(start) ?? [], { place, layer, handle: handle as Entry['handle'] }])
      starts.longest = Math.max(starts.longest, start.length)
      routes.set(method, starts)
    }
  }
  return (ctx, next) => {
    const starts = routes.get(ctx.method)
    const { path } = ctx
    const entry = starts && find(starts, path)
    if (!entry) return next()
    const params = entry.layer.params(path, entry.layer.captures(path))
    return entry.handle(Object.assign(ctx, { params }), next)
  }
}

/** The part of a path that every request for it begins with, up to a slash. */
function fixedStart(path: string): string {
  const open = path.search(/[:*{]/)
  return open < 0 ? path : path.slice(0, path.lastIndexOf('/', open))
}

function find(starts: Starts, path: string): Entry | undefined {
  let found: Entry | undefined
  for (let end = 0; end <= starts.longest; end = nextEnd(path, end)) {
    const entry = starts.of.get(path.slice(0, end))?.find(({ layer }) => layer.match(path))
    if (entry && (!found || entry.place < found.place)) found = entry
  }
  return found
}

/** Where the next beginning ends: before the next slash, or with the path; behind all of them, nowhere. */
function nextEnd(path: string, end: number): number {
  if (end === path.length) return Infinity
  const slash = path.indexOf('/', end + 1)
  return slash < 0 ? path.length : slash
}
