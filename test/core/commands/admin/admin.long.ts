import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { createApiClient, type Json } from '../../../support/client.ts'
import { createTestEnvironment } from '../../../support/environment.ts'
import { platform } from '../../../support/platform.ts'
import { waitUntil } from '../../../support/processes.ts'
import { countApiKeys } from '../../../support/rows/identity/api-keys.ts'
import { isSuperAdmin } from '../../../support/rows/identity/users.ts'
import { failJob } from '../../../support/rows/queue/job-changes.ts'
import { writeJobProgress } from '../../../support/rows/queue/job-progress.ts'
import { deleteJob } from '../../../support/rows/queue/job-rows.ts'
import {
  createEmail,
  getOperator,
  getOwnClient,
  signInBuyer,
  signInMember,
  createUniqueName,
} from '../../identity/people.ts'
import { buildApplication } from '../../../support/world.ts'

const entry = fileURLToPath(new URL('../../../../core/commands/admin/admin.ts', import.meta.url))

interface Ended {
  code: number
  out: string
  err: string
  json: Json
}

/** Runs an operator's command beside the platform, as an operator on its machine would: only DATA_DIR is known. */
const admin = (...args: string[]) => adminOn(platform.dataDir, ...args)

function adminOn(dataDir: string, ...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [entry, ...args],
      { env: createTestEnvironment({ DATA_DIR: dataDir }) },
      (error, out, err) => {
        const code = error ? Number(error.code) : 0
        resolve({ code, out, err, json: (out.startsWith('{') || out.startsWith('[') ? JSON.parse(out) : null) as Json })
      },
    )
  })
}

describe('admin: the command line for operators', () => {
  it('makes an organization, an application and a key that works, and ends the key at once', async () => {
    const owner = createEmail('owner')
    const organization = (
      await admin('organization', 'create', '--name', createUniqueName('Org'), '--owner', owner, '--json')
    ).json
    const id = String(organization['id'])
    const application = (await admin('application', 'create', '--organization', id, '--name', 'Shop', '--json')).json
    const key = (
      await admin(
        'api-key',
        'create',
        '--organization',
        id,
        '--name',
        'k',
        '--permissions',
        '{"application":["read"]}',
        '--expires-at',
        '2099-01-31T00:00:00Z',
        '--json',
      )
    ).json
    expect(key).to.have.all.keys('id', 'key', 'permissions', 'expiresAt')
    expect([key['permissions'], key['expiresAt']]).to.deep.equal([
      { application: ['read'] },
      '2099-01-31T00:00:00.000Z',
    ])
    const { status, body } = await createApiClient(String(key['key'])).get('/v1/applications')
    expect([status, (body['data'] as unknown as Json[]).map((row) => row['id'])]).to.deep.equal([
      200,
      [application['id']],
    ])
    expect((await admin('api-key', 'revoke', String(key['id']), '--json')).code).to.equal(0)
    // In less than the five seconds after which a process looks a key up again.
    await waitUntil(
      'the key ends',
      async () => (await createApiClient(String(key['key'])).get('/v1/applications')).status === 401,
      4_000,
    )
    const cookie = await signInMember(owner, id)
    expect((await getOwnClient(cookie).get('/v1/applications')).status).to.equal(200)
  })

  it('makes a key of one application, and refuses a scope that is none', async () => {
    const create = (scope: string) =>
      admin(
        ...['api-key', 'create', '--organization', platform.organization, '--name', 'k', '--json'],
        ...['--permissions', '{"application":["read"],"billing":["read"]}', '--scope', scope],
      )
    const application = await buildApplication(platform.organization)
    const [made, ...wrong] = await Promise.all([
      create(JSON.stringify({ application })),
      create('{"agentWallet":"x"}'),
      create('{"application":"none"}'),
      create(JSON.stringify({ application: crypto.randomUUID() })),
    ])
    const api = createApiClient(String(made.json['key']))
    const { body } = await api.get('/v1/applications')
    expect((body['data'] as unknown as Json[]).map(({ id }) => id)).to.deep.equal([application])
    expect((await api.get('/v1/quotas/usage')).status).to.equal(403)
    const paths = ['scope.agentWallet', 'scope.application', 'application']
    for (const [at, { code, out, err }] of wrong.entries()) {
      expect(code).to.equal(1)
      expect(`${out}${err}`).to.contain(`"path":"${paths[at]}"`)
    }
  })

  it('refuses a wrong permission map, each fault at its path', async () => {
    const create = (permissions: string) =>
      admin('api-key', 'create', '--organization', platform.organization, '--name', 'k', '--permissions', permissions)
    const wrong = {
      '{"dpp":["reed"],"zoo":["read"],"loyalty":"read"}': [
        'permissions.dpp[0]',
        'permissions.zoo',
        'permissions.loyalty',
      ],
      '{': ['permissions'],
    }
    await Promise.all(
      Object.entries(wrong).map(async ([permissions, paths]) => {
        const { code, out, err } = await create(permissions)
        expect([code, out], permissions).to.deep.equal([1, ''])
        for (const path of paths) expect(err, permissions).to.contain(`  ${path}: `)
      }),
    )
  })

  it('answers an unknown command, or one that lacks an option, with the usage and code 2', async () => {
    const wrong = [
      [],
      ['organization', 'delete'],
      ['organization', 'create', '--name', 'x'],
      ['api-key', 'revoke', '--force', 'x'],
    ]
    await Promise.all(
      wrong.map(async (args) => {
        const { code, out, err } = await admin(...args)
        expect([code, out], args.join(' ')).to.deep.equal([2, ''])
        expect(err).to.contain('Usage:').and.to.contain('api-key create --organization')
      }),
    )
  })

  it('refuses names that the API would refuse', async () => {
    const wrong = [
      ['organization', 'create', '--owner', createEmail(), '--name', ' '],
      ['application', 'create', '--organization', platform.organization, '--name', 'n'.repeat(201)],
    ]
    for (const { code, err } of await Promise.all(wrong.map((args) => admin(...args)))) {
      expect([code, err.split('\n')[1]?.startsWith('  name: ')], err).to.deep.equal([1, true])
    }
  })

  it('shows its usage to whoever asks for help', async () => {
    const { code, out, err } = await admin('help')
    expect([code, err]).to.deep.equal([0, ''])
    expect(out).to.contain('Usage:').and.to.contain('jobs retry <id>')
  })

  it('shows the usage of one area or one command, and gives it as JSON', async () => {
    const [all, area, one, none] = await Promise.all([
      admin('--json', 'help'),
      admin('jobs', '--help'),
      admin('jobs', 'retry', '--help'),
      admin('zoo', '--help'),
    ])
    expect([all, area, one, none].map(({ code }) => code)).to.deep.equal([0, 0, 0, 2])
    const words = (all.json as unknown as Json[]).map(({ command }) => String(command))
    expect(words).to.include.members([
      'organization list',
      'application list',
      'api-key list',
      'member list',
      'jobs list',
      'migrate',
    ])
    expect(area.out).to.contain('jobs list').and.to.contain('jobs retry <id>').and.not.to.contain('api-key')
    expect(one.out).to.contain('jobs retry <id>').and.not.to.contain('jobs list')
  })

  it('lists what there is as a table for people, and as JSON', async () => {
    const { organization, application, signIn } = platform
    const only = ['--organization', organization, '--limit', '10000']
    const [organizations, applications, keys, members] = await Promise.all([
      admin('organization', 'list', '--limit', '10000', '--json'),
      admin('application', 'list', ...only, '--json'),
      admin('api-key', 'list', ...only, '--json'),
      admin('member', 'list', ...only, '--json'),
    ])
    const rowsOf = ({ json }: Ended) => json as unknown as Json[]
    const own = rowsOf(organizations).find(({ id }) => id === organization)
    expect(Number(own?.['members'])).to.be.at.least(1)
    expect(rowsOf(applications).map(({ id }) => id)).to.include(application)
    expect(rowsOf(members).find(({ email }) => email === signIn)).to.include({ role: 'owner', organization })
    const active = rowsOf(keys).filter((key) => key['active'])
    expect(active.length).to.be.at.least(1)
    expect(JSON.stringify(active)).to.not.contain(platform.apiKey)
    const table = await admin('member', 'list', ...only)
    const [heading = '', ...lines] = table.out.trim().split('\n')
    expect(heading).to.match(/^email +role +organization +superAdmin +createdAt$/)
    expect(lines.find((line) => line.startsWith(signIn))).to.match(/^\S+ +owner +[0-9a-f-]{36} +(true|false) +\d{4}-/)
    const jobs = await admin('jobs', 'list')
    expect([jobs.code, jobs.out.includes('{')]).to.deep.equal([0, false])
    expect((await admin('organization', 'list', '--limit', '0')).code).to.equal(1)
  })

  it('tells each violation once, to people as to programs', async () => {
    const wrong = ['application', 'create', '--organization', platform.organization, '--name', ' ']
    const [people, program] = await Promise.all([admin(...wrong), admin(...wrong, '--json')])
    expect(people.err.match(/must be 1 to 200 characters/g)).to.have.length(1)
    expect([program.err, program.json['error']?.['errors']?.[0]?.['path']]).to.deep.equal(['', 'name'])
  })

  it('says where nothing runs, and makes nothing there', async () => {
    const nowhere = join(tmpdir(), createUniqueName('tessera-nowhere'))
    const { code, out, err } = await adminOn(nowhere, 'jobs', 'list')
    expect([code, out]).to.deep.equal([1, ''])
    expect(err)
      .to.match(/^Nothing runs on DATA_DIR .*npm start/)
      .and.not.to.contain(' at ')
    expect(existsSync(nowhere)).to.equal(false)
  })

  it('says so when there is no such organization or key', async () => {
    const absent = '01a1f94a-0000-7000-8000-000000000000'
    expect((await admin('application', 'create', '--organization', absent, '--name', 'x')).code).to.equal(1)
    const { code, json } = await admin('api-key', 'revoke', absent, '--json')
    expect([code, json['error']?.['code']]).to.deep.equal([1, 'NOT_FOUND'])
    expect((await admin('api-key', 'revoke', 'x')).code).to.equal(1)
  })

  it('signs a person out everywhere, in the running platform at once', async () => {
    const email = createEmail('left')
    const buyer = createApiClient({ bearer: String((await signInBuyer(platform.application, email)).body['token']) })
    const member = getOwnClient(await signInMember(email))
    const ended = await admin('session', 'end', '--user', email.toUpperCase(), '--json')
    expect([ended.code, ended.json['ended']], ended.err).to.deep.equal([0, 2])
    for (const api of [buyer, member]) expect((await api.get('/v1/auth/session')).status).to.equal(401)
    const nobody = await admin('session', 'end', '--user', createEmail('nobody'), '--json')
    expect([nobody.code, nobody.json['error']?.['code']]).to.deep.equal([1, 'NOT_FOUND'])
    expect((await admin('session', 'end')).code).to.equal(2)
  })

  it('makes a super-admin and an ordinary user again', async () => {
    const email = createEmail()
    await signInMember(email)
    const { db } = await getOperator()
    expect((await admin('user', 'super-admin', email, '--on', '--json')).json).to.include({ email, superAdmin: true })
    expect(await isSuperAdmin(db, email)).to.equal(true)
    await admin('user', 'super-admin', email, '--off')
    expect(await isSuperAdmin(db, email)).to.equal(false)
    expect((await admin('user', 'super-admin', email)).code).to.equal(1)
    expect((await admin('user', 'super-admin', createEmail(), '--on')).code).to.equal(1)
  })

  it('lists jobs and makes a failed one pending again, and no other', async () => {
    const { db, queue } = await getOperator()
    const job = await queue.enqueue(db, { type: 'publish', organization: platform.organization, total: 1, payload: {} })
    await failJob(db, job, { attempts: 3 })
    const { json } = await admin('jobs', 'list', '--status', 'failed', '--json')
    expect((json as unknown as Json[]).find(({ id }) => id === job)).to.include({ type: 'publish', status: 'failed' })
    expect((await admin('jobs', 'retry', job, '--json')).json['status']).to.equal('pending')
    await writeJobProgress(db, job, { status: 'completed' })
    expect((await admin('jobs', 'retry', job)).code).to.equal(1)
    await deleteJob(db, job)
  })

  it('leaves the running platform as it is: its signer still makes wallets afterwards', async () => {
    expect((await admin('jobs', 'list', '--json')).code).to.equal(0)
    const { status } = await signInBuyer(platform.application)
    expect(status).to.equal(200)
  })

  it('changes nothing when the demo is seeded again or the database migrated again', async () => {
    const { db } = await getOperator()
    const before = await countApiKeys(db)
    const { json } = await admin('seed', 'demo', '--json')
    expect([json['organization']?.['id'], json['application']?.['id'], json['apiKey'], json['signIn']]).to.deep.equal([
      platform.organization,
      platform.application,
      platform.apiKey,
      platform.signIn,
    ])
    expect(await countApiKeys(db)).to.equal(before)
    expect((await admin('migrate', '--json')).json).to.deep.equal({ migrated: [] })
  })
})
