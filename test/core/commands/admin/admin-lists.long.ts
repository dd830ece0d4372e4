import { execFile } from 'node:child_process'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import pg from 'pg'
import { createTestEnvironment } from '../../../support/environment.ts'
import { startPlatform, type OwnPlatform } from '../../../support/own-platform.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const rounds = 7
const many = 5_000

/** Rows of everything that an operator lists: organizations with an application, a member, a key, a job and a GTIN that is contested. */
const rows = `
  create temporary table made as select gen_random_uuid() as id, gen_random_uuid() as person, n from generate_series(1, ${many}) n;
  insert into organizations (id, name, slug, customer_type, settings) select id, 'Organization ' || n, 'organization-' || n, 'company', '{}' from made;
  insert into users (id, email) select person, 'person-' || n || '@example.com' from made;
  insert into members (id, organization_id, user_id, role) select gen_random_uuid(), id, person, 'owner' from made;
  insert into api_keys (id, organization, name, key, permissions) select gen_random_uuid(), id, 'Key ' || n, 'key-' || n, '{"dpp":["read"]}' from made;
  insert into jobs (id, type, organization, status, total, payload) select gen_random_uuid(), 'publish', id, 'completed', 1, '{}' from made;
  insert into gtin_owners (gtin, organization)
    select digits || (10 - (select sum(substr(digits, at, 1)::int * case when at % 2 = 1 then 3 else 1 end) from generate_series(1, 13) at) % 10) % 10, id
    from (select id, lpad((4000000000000 + n)::text, 13, '0') as digits from made) numbered;
  insert into gtin_contests (id, gtin, organization) select gen_random_uuid(), gtin, gen_random_uuid() from gtin_owners where random() < 0.1;`

describe('admin list commands on an installation with thousands of rows', function () {
  this.timeout(600_000)
  let own: OwnPlatform
  before(async () => {
    own = await startPlatform()
    const client = new pg.Client({ connectionString: own.database })
    await client.connect()
    await client.query(`${rows}
      insert into applications (id, organization, name, slug, default_network)
      select gen_random_uuid(), id, 'Application ' || n, 'application-' || n, 'EthereumAnvil' from made`)
    await client.query('analyze')
    await client.end()
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
