import { randomBytes } from 'node:crypto'
import { sendRawRequest } from '../../support/bridge/bridge-client.ts'
import { createModernRequest } from '../../support/bridge/modern-client.ts'

/** What the process of the attackers is told: the address, and how often each body is sent; all are sent at once. */
export interface Attack {
  readonly url: string
  readonly times: number
}

/** What it answers: that it has the bodies, then the statuses; 0 for a connection that broke. */
export type AttackReport = { readonly ready: true } | { readonly statuses: readonly number[] }

const size = 14 * 1024 * 1024
const { message, headers } = createModernRequest('tools/call', { name: 'echo', arguments: { value: '@' } })
const wrap = (value: string) => JSON.stringify(message).replace('"@"', () => value)
const fill = (unit: string, end = '') => unit.repeat(Math.floor((size - 1000) / unit.length)) + end
/** Deep nesting, small members, a huge text, and many numbers. Only the text is within the limits. */
const bodies = [
  wrap(fill('[')),
  wrap(`{${fill('"a":1,', '"b":1')}}`),
  wrap(`"${fill('\\u00e9')}"`),
  wrap(`[${fill('1234567.123456789,', '1')}]`),
].map((body) => Buffer.from(body))

const attack = (url: string, body: Buffer) =>
  sendRawRequest(url, { headers: { ...headers, 'x-api-key': randomBytes(8).toString('hex') }, body })
    .then(({ status }) => status)
    .catch(() => 0)

process.on('message', async ({ url, times }: Attack) => {
  const all = Array.from({ length: times }, () => bodies).flat()
  process.send?.({ statuses: await Promise.all(all.map((body) => attack(url, body))) } satisfies AttackReport)
})
process.send?.({ ready: true } satisfies AttackReport)
