import { expect } from 'chai'
import type { Knex } from 'knex'
import { pino } from 'pino'
import { BodyShares, maxShareBytes, trimShare } from '../../../../core/http/idempotency/shares.ts'
import { waitUntil } from '../../../support/processes.ts'

const mebibyte = 1024 * 1024

describe('Idempotency-Key: when stored answers of a share are deleted', () => {
  /** Trims a share that has so many bytes. Returns what the statements were given, in their order. */
  async function trim(bytes: number | undefined): Promise<unknown[]> {
    const given: unknown[] = []
    const raw = async (_: string, values: unknown) => {
      const at = given.push(values)
      return at === 1 && bytes !== undefined ? { rows: [{ bytes: String(bytes) }] } : { rows: [{}] }
    }
    await trimShare({ raw } as unknown as Knex, 'a')
    return given
  }

  it('is 8 MiB below the limit of 64 MiB, which is what stays', async () => {
    const kept = 56 * mebibyte
    expect(maxShareBytes).to.equal(64 * mebibyte)
    expect(await trim(kept)).to.deep.equal([['a']])
    expect(await trim(kept + 1)).to.deep.equal([['a'], { share: 'a', kept }])
  })

  it('is over only when the statement that deletes has ended', async () => {
    let calls = 0
    let end = () => {}
    const raw = async () => {
      if (++calls === 1) return { rows: [{ bytes: String(64 * mebibyte) }] }
      await new Promise<void>((resolve) => (end = resolve))
      throw new Error('PostgreSQL is away')
    }
    const trimming = trimShare({ raw } as unknown as Knex, 'a').then(
      () => 'trimmed',
      (error: Error) => error.message,
    )
    await waitUntil('both statements are sent', () => calls === 2)
    end()
    expect(await trimming).to.equal('PostgreSQL is away')
  })

  it('is counted for each share by itself, and a failure is in the log', async () => {
    const checked: string[] = []
    const lines: { share: string; err: { message: string } }[] = []
    const raw = async (_: string, [share]: [string]) => {
      checked.push(share)
      if (share === 'c') throw new Error('PostgreSQL is away')
      return { rows: [{ bytes: '0' }] }
    }
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) })
    const shares = new BodyShares({ raw } as unknown as Knex, log)
    for (const share of ['a', 'b', 'a', 'b']) shares.recordStored(share, 1)
    expect(checked).to.deep.equal(['a', 'b'])
    shares.recordStored('c', 1)
    await waitUntil('the failure is in the log', () => lines.length > 0)
    expect(lines.map(({ share, err }) => [share, err.message])).to.deep.equal([['c', 'PostgreSQL is away']])
  })
})
