import { execFile } from 'node:child_process'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { connectDatabase } from '../../../../core/database/connection.ts'
import { createTestEnvironment } from '../../../support/environment.ts'
import { insertListedOrganizations } from '../../../support/rows/identity/listed-organizations.ts'
import { startPlatform, type OwnPlatform } from '../../../support/own-platform.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const rounds = 7
const many = 5_000

describe('admin list commands on an installation with thousands of rows', function () {
  this.timeout(600_000)
  let own: OwnPlatform
  before(async () => {
    own = await startPlatform()
    const db = connectDatabase({ url: own.database, name: 'tests', maxConnections: 1, withoutTimeouts: true })
    await insertListedOrganizations(db, many).finally(() => db.destroy())
  })
  after(() => own.stop())

  /** As it is typed. @returns what it printed, and in how many milliseconds */
  async function run(...args: string[]): Promise<{ out: string; milliseconds: number }> {
    const began = performance.now()
    const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'admin', '--', ...args], {
      cwd: root,
      env: createTestEnvironment({ DATA_DIR: own.dataDir }),
      maxBuffer: 1 << 26,
    })
    return { out: stdout, milliseconds: performance.now() - began }
  }

  it('are read whole, and take as long as is printed', async () => {
    console.log(
      `      ${many} rows of each, ${rounds} rounds, ${cpus().length} processors; milliseconds: least, median, most`,
    )
    for (const args of [
      ['help'],
      ['organization', 'list'],
      ['application', 'list'],
      ['api-key', 'list'],
      ['member', 'list'],
      ['jobs', 'list'],
      ['gtin', 'list'],
      ...['organization', 'application', 'api-key', 'member', 'jobs'].map((what) => [
        what,
        'list',
        '--limit',
        `${many}`,
      ]),
    ]) {
      await run(...args)
      const times: number[] = []
      for (let round = 0; round < rounds; round++) times.push((await run(...args)).milliseconds)
      times.sort((one, other) => one - other)
      console.log(
        `      ${args.join(' ').padEnd(36)} ${[0, Math.floor(rounds / 2), rounds - 1].map((at) => String(Math.round(times[at] ?? 0)).padStart(6)).join('')}`,
      )
      if (args[0] === 'help') continue
      const { out } = await run(...args, '--json')
      const expected = args.includes('--limit') ? many : 100
      expect((JSON.parse(out) as unknown[]).length, args.join(' ')).to.equal(expected)
    }
  })
})
