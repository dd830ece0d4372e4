import { expect } from 'chai'
import { request } from 'undici'
import { startMetrics, type Gauge } from '../../../core/app/metrics.ts'
import { findFreePort } from '../../../core/start/ports.ts'

describe('GET /metrics: figures', () => {
  let read = 0
  const figures: Gauge[] = [
    {
      name: 'tessera_test_things',
      description: 'Things.',
      readValues: async () => [{ value: ++read, labels: { state: 'new' } }],
    },
  ]
  for (const late of [false, true]) {
    it(`are read anew at each look, and nowhere else${late ? ', also where nothing is loaded before the first' : ''}`, async () => {
      const port = await findFreePort()
      const metrics = await startMetrics('127.0.0.1', port, figures, late)
      const look = async (path: string) => {
        const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`, { reset: true })
        return { status: statusCode, text: await body.text() }
      }
      try {
        read = 0
        expect(await look('/')).to.deep.equal({ status: 404, text: '' })
        metrics.recordRequest({ operation: 'x', method: 'GET', status: 200, seconds: 0.2 })
        expect((await look('/metrics')).text).to.include(
          '\ntessera_test_things{state="new",otel_scope_name="tessera"} 1\n',
        )
        const again = await look('/metrics?x')
        expect(again).to.include({ status: 200 })
        expect(again.text).to.include('\ntessera_test_things{state="new",otel_scope_name="tessera"} 2\n')
        expect(again.text.includes('tessera_request_seconds_count{operation="x"')).to.equal(!late)
      } finally {
        await metrics.stop()
      }
      expect(await look('/metrics').catch((cause: Error & { code?: string }) => cause.code)).to.equal('ECONNREFUSED')
    })
  }
})
