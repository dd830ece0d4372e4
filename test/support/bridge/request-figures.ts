import getPort from 'get-port'
import { sendRawRequest } from './bridge-client.ts'
import { waitUntil } from '../processes.ts'

/** The settings of a bridge with figures, of which a test waits for one. Their port is taken before the tests. */
export class RequestFigures {
  readonly env = { METRICS_PORT: '' }

  async takePort(): Promise<void> {
    this.env.METRICS_PORT = String(await getPort())
  }

  /** Returns how many calls of tools have ended for the bridge: they were answered, or the client is gone. */
  async countEndedCalls(): Promise<number> {
    const { text } = await sendRawRequest(`http://127.0.0.1:${this.env.METRICS_PORT}/metrics`, { method: 'GET' })
    return text
      .split('\n')
      .filter((line) => line.startsWith('tessera_bridge_request_seconds_count{') && line.includes('"tools/call"'))
      .reduce((sum, line) => sum + Number(line.split(' ')[1]), 0)
  }

  /** Resolves when one more call has ended for the bridge than `before`. */
  async waitForEndedCall(before: number): Promise<void> {
    await waitUntil('the bridge notices', async () => (await this.countEndedCalls()) > before)
  }
}
