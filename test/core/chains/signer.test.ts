import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { connect as connectSocket } from 'node:net'
import { expect } from 'chai'
import pg from 'pg'
import { keccak256, recoverAddress, toHex, type Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { signerAt, SignerRefused, SignerUnreachable, type Signer } from '../../../core/chains/signer/client.ts'
import { sealOf } from '../../../core/kernel/seal.ts'
import { startRig, type Rig } from '../../support/chains.ts'
import { startDatabaseServer, type DatabaseServer } from '../../support/database-server.ts'

const senderKey = `0x${'5c'.repeat(32)}`

describe('the signer', () => {
  let server: DatabaseServer
  let rig: Rig
  let signer: Signer

  before(async () => {
    server = await startDatabaseServer()
    rig = await startRig(server, { env: { XDC_APOTHEM_SENDER_KEYS: senderKey } })
    signer = signerAt(rig.settings)
  })
  after(async () => {
    signer.close()
    await rig.stop()
    await server.stop()
  })

  const refused = async (work: Promise<unknown>) => work.then(() => undefined, (cause: unknown) => {
    if (cause instanceof SignerRefused) return cause.status
    throw cause
  })
  const inSigner = async (sql: string) => {
    const client = new pg.Client(rig.signerUrl)
    await client.connect()
    return client.query<Record<string, Buffer | string>>(sql).finally(() => client.end())
  }

  it('gives an account one address, however often and at once it is asked', async () => {
    const addresses = await Promise.all(Array.from({ length: 20 }, () => signer.ensureKey('account:same', 'evm')))
    expect(new Set(addresses).size).to.equal(1)
    expect(addresses[0]).to.match(/^0x[0-9a-fA-F]{40}$/)
    expect(await signer.ensureKey('account:other', 'evm')).to.not.equal(addresses[0])
  })

  it('signs what the address of the account verifies, the same way each time', async () => {
    const address = await signer.ensureKey('account:signing', 'evm')
    const bytes = randomBytes(300)
    const sign = () => signer.sign('operation:1', 'account:signing', 'evm', bytes)
    const [first, second] = await Promise.all([sign(), sign()])
    expect(first).to.deep.equal(second)
    const signature: Hex = toHex(first ?? new Uint8Array())
    expect(await recoverAddress({ hash: keccak256(bytes), signature })).to.equal(address)
  })

  it('refuses other content, or another account, under an operation that it signed', async () => {
    await Promise.all(['account:a', 'account:b'].map((account) => signer.ensureKey(account, 'evm')))
    await signer.sign('operation:2', 'account:a', 'evm', Buffer.from('pay 1'))
    expect(await refused(signer.sign('operation:2', 'account:a', 'evm', Buffer.from('pay 2')))).to.equal(409)
    expect(await refused(signer.sign('operation:2', 'account:b', 'evm', Buffer.from('pay 1')))).to.equal(409)
  })

  it('signs only one of two contents that come at once under one operation', async () => {
    await signer.ensureKey('account:a', 'evm')
    const sign = (text: string) => refused(signer.sign('operation:3', 'account:a', 'evm', Buffer.from(text)))
    expect((await Promise.all(['x', 'y'].map(sign))).sort()).to.deep.equal([409, undefined])
  })

  it('refuses to sign for an account that it does not know', async () => {
    expect(await refused(signer.sign('operation:4', 'account:nobody', 'evm', Buffer.from('x')))).to.equal(404)
  })

  it('refuses a wrong secret', async () => {
    const stranger = signerAt({ ...rig.settings, signerSecret: 'not the secret at all' })
    expect(await refused(stranger.ensureKey('account:a', 'evm'))).to.equal(401)
    stranger.close()
  })

  it('lets nobody but its user open the socket', () => {
    expect((statSync(rig.settings.signerSocket ?? '').mode & 0o777).toString(8)).to.equal('600')
  })

  it('answers requests that make no sense with 4xx and goes on', async () => {
    const raw = (text: string) => new Promise<string>((resolve, reject) => {
      const socket = connectSocket(rig.settings.signerSocket ?? '', () => socket.end(text))
      const parts: Buffer[] = []
      socket.on('data', (part: Buffer) => parts.push(part)).once('error', reject)
      socket.once('close', () => resolve(Buffer.concat(parts).toString()))
    })
    const secret = rig.settings.signerSecret
    const request = (body: string) => raw([
      'POST /sign HTTP/1.1', 'host: s', 'connection: close', `authorization: Bearer ${secret}`,
      `content-length: ${Buffer.byteLength(body)}`, '', body].join('\r\n'))
    for (const body of ['', 'null', '[', '{"account":7}', `{"account":"${'x'.repeat(600_000)}"}`]) {
      expect(await request(body)).to.match(/^HTTP\/1.1 4(00|13) /)
    }
    expect(await signer.ensureKey('account:a', 'evm')).to.be.a('string')
  })

  it('keeps keys encrypted, each under the name of its account', async () => {
    const { rows } = await inSigner('select * from signer.keys')
    const sealed = rows.map((row) => row['sealed'] as Buffer)
    expect(new Set(sealed.map((bytes) => bytes.length))).to.deep.equal(new Set([12 + 16 + 32]))
    expect(rows.every((row) => !JSON.stringify(row).includes(senderKey.slice(2)))).to.equal(true)
    expect(sealed.some((bytes) => bytes.includes(Buffer.from(senderKey.slice(2), 'hex')))).to.equal(false)
    const seal = sealOf(randomBytes(32).toString('base64'))
    const box = seal.close('evm:account:a', Buffer.from('secret'))
    expect(seal.open('evm:account:a', box).toString()).to.equal('secret')
    expect(() => seal.open('evm:account:b', box)).to.throw()
    expect(() => sealOf(randomBytes(32).toString('base64')).open('evm:account:a', box)).to.throw()
  })

  it('has tables that the other processes cannot read', async () => {
    const reading = rig.db.raw('select * from signer.keys').then(() => 'read', (cause: { code: string }) => cause.code)
    expect(await reading).to.equal('42501')
  })

  it('sends with the keys that its operator configured, else with one of its own', async () => {
    const configured = privateKeyToAddress(senderKey as Hex)
    expect(await signer.senders('XdcApothem'))
      .to.deep.equal([{ account: `sender:XdcApothem:${configured}`, address: configured }])
    const [own, ...others] = await signer.senders('EthereumAnvil')
    expect([own?.account, others]).to.deep.equal(['sender:EthereumAnvil:0', []])
    expect(await signer.senders('EthereumAnvil')).to.deep.equal([own])
  })

  it('answers the same after it was killed', async () => {
    const before = await signer.ensureKey('account:kept', 'evm')
    const signature = await signer.sign('operation:kept', 'account:kept', 'evm', Buffer.from('kept'))
    await rig.signer.kill()
    const away = await signer.ensureKey('account:kept', 'evm').then(() => 'answered', (cause: unknown) => cause)
    expect(away).to.be.instanceOf(SignerUnreachable)
    await rig.signer.start()
    expect(await signer.ensureKey('account:kept', 'evm')).to.equal(before)
    expect(await signer.sign('operation:kept', 'account:kept', 'evm', Buffer.from('kept'))).to.deep.equal(signature)
  })
})
