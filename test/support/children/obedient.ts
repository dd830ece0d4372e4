import { createServer } from 'node:http'
import { runProcess } from '../../../core/kernel/process/process.ts'

/** A child that only serves its own process id, and dies or blocks on request, or dies during its start. */
runProcess('obedient', async () => {
  if (process.env['TESSERA_FAULT'] === 'obedient.starts') process.kill(process.pid, 'SIGKILL')
  const server = createServer((request, response) => {
    if (request.url === '/die') process.exit(7)
    if (request.url === '/block') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    response.end(JSON.stringify({ pid: process.pid, env: Object.keys(process.env) }))
  })
  const port = Number(process.env['OBEDIENT_PORT'] ?? 0)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  process.stdout.write(`${JSON.stringify({ msg: 'obedient', address: server.address(), pid: process.pid })}\n`)
  return {
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
})
