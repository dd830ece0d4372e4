import type { IncomingMessage, Server } from 'node:http'
import { hasBody } from './body.ts'

/** Milliseconds between two checks, and the number of bytes that a body must grow by in that time: 2 KiB per second. */
const checkIntervalMs = 15_000
const minBytesPerInterval = 2 * 1024 * (checkIntervalMs / 1000)

/**
 * Closes connections whose body arrives too slowly, as only an attacker sends it. A body that waits because its reader
 * is busy does not count as slow. @returns a function that closes all connections whose body is incomplete
 */
export function cutSlowBodies(server: Server): () => void {
  const bytesByRequest = new Map<IncomingMessage, number>()
  server.on('request', (req) => {
    if (!hasBody(req.headers)) return
    bytesByRequest.set(req, Number.NEGATIVE_INFINITY)
    req.once('close', () => bytesByRequest.delete(req))
  })
  const timer = setInterval(() => {
    for (const [req, before] of bytesByRequest) {
      const { bytesRead } = req.socket
      const isReaderBusy = req.isPaused() || req.readableLength > 0
      if (req.complete || isReaderBusy || bytesRead - before >= minBytesPerInterval) bytesByRequest.set(req, bytesRead)
      else req.destroy()
    }
  }, checkIntervalMs).unref()
  server.once('close', () => clearInterval(timer))
  return () => {
    for (const req of bytesByRequest.keys()) if (!req.complete) req.destroy()
  }
}
