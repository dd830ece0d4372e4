import type { IncomingMessage, Server } from 'node:http'
import { hasBody } from './body.ts'

/** Milliseconds between two looks, and bytes by which a body has to grow from one to the next: 2 KiB a second. */
const every = 15_000
const least = 2 * 1024 * (every / 1000)

/**
 * Cuts connections whose body comes too slowly, as only somebody does who wants to hold them. A body that we ourselves
 * make wait, because its reader is busy, is not slow. @returns what cuts all that have not come whole
 */
export function cutSlowBodies(server: Server): () => void {
  const receiving = new Map<IncomingMessage, number>()
  server.on('request', (req) => {
    if (!hasBody(req.headers)) return
    receiving.set(req, Number.NEGATIVE_INFINITY)
    req.once('close', () => receiving.delete(req))
  })
  const timer = setInterval(() => {
    for (const [req, before] of receiving) {
      const { bytesRead } = req.socket
      const weWait = req.isPaused() || req.readableLength > 0
      if (req.complete || weWait || bytesRead - before >= least) receiving.set(req, bytesRead)
      else req.destroy()
    }
  }, every).unref()
  server.once('close', () => clearInterval(timer))
  return () => {
    for (const req of receiving.keys()) if (!req.complete) req.destroy()
  }
}
