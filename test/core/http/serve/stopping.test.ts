import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import Koa from 'koa'
import { startHttpServer, type RunningServer } from '../../../../core/http/serve/http-server.ts'
import { openRawConnection } from '../../../support/network/raw.ts'

describe('API process: the connections of a server that stops', function () {
  // A connection that is still open after 15 s is cut: a server that waits for that is too late.
  this.timeout(12_000)
  let running: RunningServer
  let address: string
  let answers: PromiseWithResolvers<void>
  let begun: PromiseWithResolvers<void>
  let endedCount: number

  beforeEach(async () => {
    answers = Promise.withResolvers()
    begun = Promise.withResolvers()
    endedCount = 0
    const app = new Koa()
    app.use(async (ctx) => {
      begun.resolve()
      await answers.promise
      endedCount++
      ctx.body = 'done'
    })
    running = await startHttpServer(app, 0, '127.0.0.1', 'http://127.0.0.1')
    address = `http://127.0.0.1:${(running.server.address() as AddressInfo).port}`
  })

  const request = 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'

  it('are closed when all answers are sent, also one with half a request', async () => {
    answers.resolve()
    const [answered, half] = [await openRawConnection(address), await openRawConnection(address)]
    answered.send(request)
    expect((await answered.answer()).status).to.equal(200)
    half.send('GET / HTTP/1.1\r\nHos')
    await running.stop()
    await half.closed
  })

  it('are answered if they wait to be accepted when it begins to stop', async () => {
    answers.resolve()
    const { port } = running.server.address() as AddressInfo
    const sockets = Array.from({ length: 40 }, () => connect(port, '127.0.0.1'))
    const received = sockets.map((socket) => readText(socket))
    for (const socket of sockets) socket.write(request)
    await running.stop()
    for (const text of await Promise.all(received)) expect(text).to.match(/^HTTP\/1\.1 200 OK/)
  })

  it('may be gone before their requests are: the stop waits for what still handles one', async () => {
    const gone = await openRawConnection(address)
    gone.send(request)
    await begun.promise
    gone.socket.destroy()
    const stopping = running.stop().then(() => endedCount)
    await once(running.server, 'close')
    // A turn later, so that a server that waits for nothing has stopped by then.
    await turn()
    answers.resolve()
    expect(await stopping, 'requests that had ended when the server had stopped').to.equal(1)
  })
})
