import { createPublicKey, verify } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { base58btc } from 'multiformats/bases/base58'
import { commands } from '../../../../core/commands/admin/admin.commands.ts'
import { createContext } from '../../../../core/app/context.ts'
import { readSigningKey } from '../../../../core/features/certification/index.ts'
import { createSeal } from '../../../../core/kernel/sealing/seal.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import { readSettings } from '../../../../core/app/settings.ts'
import { createApiClient } from '../../../support/client.ts'
import { listTablesWithText } from '../../../support/rows/stored-content.ts'
import { platform } from '../../../support/platform.ts'
import {
  countActiveKeys,
  isKeyLockAwaited,
  listKeyStatuses,
  readRevocation,
  readStoredKey,
} from '../../../support/rows/certification/keys.ts'
import { createEmail, getOperator, createUniqueName } from '../../identity/people.ts'
import { buildKey, buildShop, type Shop } from '../../../support/world.ts'
import { getBody, listFaultPaths, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { readActiveKey, listKeys, readPlatformSecret, revokeKey, rotateKey, readRotation } from './keys.ts'

const absent = '01a1f94a-0000-7000-8000-000000000000'

describe('Certification keys', () => {
  let shop: Shop
  let close: () => Promise<void>
  let context: Context

  before(async () => {
    const built = await createContext(
      readSettings({
        NODE_ENV: 'test',
        LOG_LEVEL: 'silent',
        DATABASE_URL: platform.database,
        KEY_ENCRYPTION_KEY: readPlatformSecret(),
      }),
      'test',
    )
    context = built.context
    close = built.close
  })
  after(() => close())

  beforeEach(async () => {
    shop = await buildShop()
  })

  const sign = (bytes: Uint8Array, organization = shop.organization) =>
    context.db.transaction(async (trx) => {
      const key = await readSigningKey(trx, context, organization)
      return { ...key, signature: key.sign(bytes) }
    })

  it('are one active Ed25519 key an organization, made at first need where there is none', async () => {
    const key = await readActiveKey(shop.api)
    expect(key).to.include({
      type: 'Ed25519',
      status: 'active',
      onChainStatus: 'pending',
      rotatedAt: null,
      revokedAt: null,
    })
    expect(key.networks).to.deep.equal([])
    const bytes = base58btc.decode(key.publicKeyMultibase)
    expect([...bytes.subarray(0, 2), bytes.length]).to.deep.equal([0xed, 0x01, 34])
    expect(key.publicKeyMultibase).to.match(/^z6Mk/)
    expect(key.kid).to.equal(key.publicKeyMultibase)
    expect(key.publicKeyJwk).to.deep.equal({
      kty: 'OKP',
      crv: 'Ed25519',
      x: Buffer.from(bytes.subarray(2)).toString('base64url'),
    })
    expect(key.did).to.equal(`did:key:${key.publicKeyMultibase}`)
    expect(await listKeys(shop.api)).to.deep.equal([key])
    expect(await readActiveKey(shop.api)).to.deep.equal(key)
  })

  it('are made once by many first requests at the same time', async () => {
    const found = await Promise.all(Array.from({ length: 12 }, () => readActiveKey(shop.api)))
    expect(new Set(found.map(({ id }) => id)).size).to.equal(1)
    expect(await listKeys(shop.api)).to.have.length(1)
  })

  it('are made with an organization that an operator makes', async () => {
    const options = { name: createUniqueName('Org'), owner: createEmail() }
    const create = commands['organization create']
    if (!create || !('run' in create)) throw new Error('there is no such command')
    const made = (await create.run(context, { options, flags: new Set(), rest: [] })) as { id: string }
    const { db } = await getOperator()
    expect(await listKeyStatuses(db, made.id)).to.deep.equal(['active'])
    expect(await countActiveKeys(db, platform.organization)).to.equal(1)
  })

  it('sign so that the public key verifies it, under the identifier of the organization', async () => {
    const shown = await readActiveKey(shop.api)
    const bytes = Buffer.from('what is signed')
    const { id, did, verificationMethod, issuer, publicKey, signature } = await sign(bytes)
    expect([id, did, issuer.id]).to.deep.equal([shown.id, shown.did, shown.did])
    expect(verificationMethod).to.equal(`${shown.did}#${shown.kid}`)
    expect(issuer.name).to.match(/^Org/)
    expect(publicKey.toString('base64url')).to.equal(shown.publicKeyJwk.x)
    const key = createPublicKey({ key: shown.publicKeyJwk, format: 'jwk' })
    expect(signature).to.have.length(64)
    expect(verify(null, bytes, key, signature)).to.equal(true)
    expect(verify(null, Buffer.from('another'), key, signature)).to.equal(false)
  })

  it('are replaced at once where no network is in use; the old one still stands in the list', async () => {
    const first = await readActiveKey(shop.api)
    const { key: second, queuedJobs } = await readRotation(shop.api)
    expect([second.status, queuedJobs]).to.deep.equal(['active', 0])
    expect(second.id).to.not.equal(first.id)
    const [newest, oldest] = await listKeys(shop.api)
    expect(newest).to.deep.equal(second)
    expect(oldest).to.deep.equal({ ...first, status: 'rotated', rotatedAt: oldest?.rotatedAt })
    expect(oldest?.rotatedAt).to.be.a('string')
    expect((await sign(Buffer.from('x'))).id).to.equal(second.id)
  })

  it('are revoked for good, and another becomes active in place of the active one', async () => {
    const first = await readActiveKey(shop.api)
    const answer = await revokeKey(shop.api, first.id, { reason: 'stolen', compromisedAt: '2026-01-02T03:04:05.000Z' })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body).to.include({ id: first.id, status: 'revoked' })
    const second = await readActiveKey(shop.api)
    expect(second.id).to.not.equal(first.id)
    const { db } = await getOperator()
    const { reason, compromisedAt } = await readRevocation(db, first.id)
    expect([reason, compromisedAt?.toISOString()]).to.deep.equal(['stolen', '2026-01-02T03:04:05.000Z'])

    const again = await revokeKey(shop.api, first.id, { reason: 'something else' })
    expect([again.status, again.body]).to.deep.equal([200, answer.body])
    expect((await listKeys(shop.api)).map(({ status }) => status)).to.deep.equal(['active', 'revoked'])

    await readRotation(shop.api)
    expect((await revokeKey(shop.api, second.id)).body).to.include({ id: second.id, status: 'revoked' })
    expect((await listKeys(shop.api)).map(({ status }) => status)).to.deep.equal(['active', 'revoked', 'revoked'])
  })

  it('can be read with dpp:read and changed with dpp:update', async () => {
    const reader = createApiClient((await buildKey(shop.organization, { dpp: ['read'] })).key)
    const writer = createApiClient((await buildKey(shop.organization, { dpp: ['update'] })).key)
    const { id } = await readActiveKey(reader)
    expect(formatVerdict(await rotateKey(reader))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect(formatVerdict(await revokeKey(reader, id))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect(formatVerdict(await rotateKey(writer))).to.equal('200')
    expect(formatVerdict(await revokeKey(writer, id))).to.equal('200')
    expect(formatVerdict(await writer.get('/v1/dpp/certification-keys'))).to.equal('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect(formatVerdict(await createApiClient().get('/v1/dpp/certification-key'))).to.equal('401 AUTH_UNAUTHENTICATED')
  })

  it('are refused when absent, of others, or for a revocation without sense', async () => {
    const other = await readActiveKey((await buildShop()).api)
    const { id } = await readActiveKey(shop.api)
    expect(formatVerdict(await revokeKey(shop.api, other.id))).to.equal('404 DPP_CERTIFICATION_KEY_NOT_FOUND')
    expect(formatVerdict(await revokeKey(shop.api, absent))).to.equal('404 DPP_CERTIFICATION_KEY_NOT_FOUND')
    expect(formatVerdict(await revokeKey(shop.api, 'no-uuid'))).to.equal('400 INVALID_REQUEST')
    expect(formatVerdict(await revokeKey(shop.api, id, {}))).to.equal('400 INVALID_REQUEST')
    const wrong: [object, string][] = [
      [{ reason: ' ' }, 'reason'],
      [{ reason: 'x'.repeat(501) }, 'reason'],
      [{ reason: 'x', compromisedAt: 'yesterday' }, 'compromisedAt'],
      [{ reason: 'x', compromisedAt: '2999-01-01T00:00:00Z' }, 'compromisedAt'],
      [{ reason: 'x', compromisedAt: '2016-12-31T23:59:60Z' }, 'compromisedAt'],
      [{ reason: 'x', why: 'y' }, 'why'],
    ]
    for (const [body, path] of wrong) {
      const answer = await revokeKey(shop.api, id, body)
      expect([formatVerdict(answer), listFaultPaths(answer)]).to.deep.equal(['422 VALIDATION_FAILED', [path]])
    }
    expect((await readActiveKey(shop.api)).id).to.equal(id)
  })

  it('have exactly one active at every instant, however many rotate and revoke at the same time', async () => {
    await readActiveKey(shop.api)
    let over = false
    const { db } = await getOperator()
    const seen = new Set<number>()
    const watching = (async () => {
      while (!over) seen.add(await countActiveKeys(db, shop.organization))
    })()
    const signing = Array.from({ length: 10 }, () => sign(Buffer.from('x')))
    const changes = await Promise.all(
      Array.from({ length: 20 }, async (_, turn) =>
        turn % 2 === 0 ? rotateKey(shop.api) : revokeKey(shop.api, (await readActiveKey(shop.api)).id),
      ),
    )
    await Promise.all(signing)
    over = true
    await watching
    expect(changes.map(({ status }) => status).filter((status) => status !== 200)).to.deep.equal([])
    expect([...seen]).to.deep.equal([1])
    const keys = await listKeys(shop.api)
    expect(keys.filter(({ status }) => status === 'active')).to.have.length(1)
    expect(keys.filter(({ status }) => status === 'pending')).to.deep.equal([])
  })

  it('are not rotated away while a transaction signs with them', async () => {
    const first = await readActiveKey(shop.api)
    const order: string[] = []
    let change: Promise<unknown> | undefined
    await context.db.transaction(async (trx) => {
      const key = await readSigningKey(trx, context, shop.organization)
      change = rotateKey(shop.api).then(() => order.push('rotated'))
      const { db } = await getOperator()
      for (let waiting = false; !waiting;) waiting = await isKeyLockAwaited(db)
      expect(key.id).to.equal(first.id)
      order.push('signed')
    })
    await change
    expect(order).to.deep.equal(['signed', 'rotated'])
  })

  it('are kept sealed, each under its own name and this key encryption key only', async () => {
    const { id } = await readActiveKey(shop.api)
    const { db } = await getOperator()
    const row = await readStoredKey(db, id)
    const name = `certification-key:${row.organization}:${id}`
    const secret = createSeal(readPlatformSecret()).decrypt(name, row.sealed)
    expect(secret).to.have.length(48)
    expect(row.sealed.includes(secret.subarray(16))).to.equal(false)
    expect(() => createSeal(Buffer.alloc(32, 7).toString('base64')).decrypt(name, row.sealed)).to.throw()
    expect(() =>
      createSeal(readPlatformSecret()).decrypt(`certification-key:${row.organization}:${absent}`, row.sealed),
    ).to.throw()

    const thief = {
      ...context,
      settings: { ...context.settings, keyEncryptionKey: Buffer.alloc(32, 7).toString('base64') },
    }
    const stolen = context.db.transaction(async (trx) =>
      (await readSigningKey(trx, thief, row.organization)).sign(Buffer.from('x')),
    )
    expect(await stolen.catch(() => 'nothing')).to.equal('nothing')
  })

  it('never show their private half in an answer, a log, an event, a job or any other row', async () => {
    const { id } = await readActiveKey(shop.api)
    await sign(Buffer.from('x'))
    const answers = [
      await shop.api.get('/v1/dpp/certification-key'),
      await rotateKey(shop.api),
      await revokeKey(shop.api, id),
      await shop.api.get('/v1/dpp/certification-keys'),
      await shop.api.get('/v1/dpp/certification-key/did-web-config'),
      await shop.api.get('/v1/events'),
    ]
    const { db } = await getOperator()
    const { sealed } = await readStoredKey(db, id)
    const whole = createSeal(readPlatformSecret()).decrypt(`certification-key:${shop.organization}:${id}`, sealed)
    const secret = whole.subarray(16)
    const canaries = [
      secret.toString('hex'),
      secret.toString('base64').slice(0, 42),
      secret.toString('base64url').slice(0, 42),
      secret.toString('latin1'),
      whole.toString('base64'),
      JSON.stringify([...secret]).slice(1, -1),
    ]
    const found = (text: string) => canaries.some((canary) => text.includes(canary))
    expect(found(`x${secret.toString('base64')}`), 'the search finds what is there').to.equal(true)
    expect(answers.filter(({ text }) => found(text))).to.deep.equal([])
    const logs = join(platform.dataDir, 'logs')
    expect(readdirSync(logs).filter((file) => found(readFileSync(join(logs, file), 'latin1')))).to.deep.equal([])
    expect(await listTablesWithText(db, canaries.slice(0, 3))).to.deep.equal([])
    expect(getBody<object>(answers[1] ?? ({ body: {} } as never))).to.not.have.property('sealed')
  })
})
