import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { connect as connectSocket } from 'node:net'
import { expect } from 'chai'
import { decodeAbiParameters, keccak256, parseTransaction, recoverTransactionAddress, toHex, type Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { ensureSenderRow } from '../../../core/chains/engine/rows/senders.ts'
import {
  createSignerClient,
  SignerRefusedError,
  SignerUnreachableError,
  type Signer,
} from '../../../core/chains/signer/client.ts'
import type { Intent } from '../../../core/chains/signer/intents.ts'
import { createSeal } from '../../../core/kernel/sealing/seal.ts'
import { contractOwner, startChainRig, type ChainRig } from '../../support/chains/chain-rig.ts'
import { startDatabaseServer, type DatabaseServer } from '../../support/database/database-server.ts'
import { insertWantedContract } from '../../support/rows/chains/contracts.ts'
import { listSignerKeys } from '../../support/rows/chains/signer.ts'

const senderKey = `0x${'5c'.repeat(32)}`

describe('Signer', () => {
  let server: DatabaseServer
  let rig: ChainRig
  let signer: Signer
  let sender: string
  const deployment = (): Intent => ({
    network: 'EthereumAnvil',
    chainId: 31_337,
    account: 'sender:EthereumAnvil:0',
    nonce: 0,
    gas: '3000000',
    fees: { most: '3000000000', tip: '1000000000' },
    act: { kind: 'deploy', contract: { kind: 'anchors' } },
  })

  before(async () => {
    server = await startDatabaseServer()
    rig = await startChainRig(server, { env: { XDC_APOTHEM_SENDER_KEYS: senderKey } })
    signer = createSignerClient(rig.settings)
    const {
      senders: [own],
    } = await signer.readSenders('EthereumAnvil')
    sender = own?.address ?? ''
    const network = 'EthereumAnvil'
    await ensureSenderRow(rig.db, { network, address: sender, account: own?.account ?? '' })
    await insertWantedContract(rig.db, { network, kind: 'anchors', sender })
  })
  after(async () => {
    signer.close()
    await rig.stop()
    await server.stop()
  })

  const refused = async (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (cause: unknown) => {
        if (cause instanceof SignerRefusedError) return cause.status
        throw cause
      },
    )

  it('gives an account one address, however often and at once it is asked', async () => {
    const addresses = await Promise.all(Array.from({ length: 20 }, () => signer.ensureKey('account:same', 'evm')))
    expect(new Set(addresses).size).to.equal(1)
    expect(addresses[0]).to.match(/^0x[0-9a-fA-F]{40}$/)
    expect(await signer.ensureKey('account:other', 'evm')).to.not.equal(addresses[0])
  })

  it('makes a wallet for accounts and issuers only', async () => {
    for (const name of ['sender:BaseMainnet:0', 'owner:x', '', 'account:', `account:${'x'.repeat(101)}`]) {
      expect(await refused(signer.ensureKey(name, 'evm'))).to.equal(400)
    }
    const accounts = (await listSignerKeys(rig.signerUrl)).map(({ account }) => account)
    expect(accounts.filter((account) => account.startsWith('sender:BaseMainnet'))).to.have.length(0)
  })

  it('signs a deployment that is wanted, owned by another address, the same way each time', async () => {
    const [first, second] = await Promise.all([1, 2].map(() => signer.signIntent('operation:1', deployment())))
    expect(first).to.deep.equal(second)
    const serializedTransaction = toHex(first?.raw ?? new Uint8Array())
    expect(keccak256(serializedTransaction)).to.equal(first?.hash)
    expect(await recoverTransactionAddress({ serializedTransaction: serializedTransaction as never })).to.equal(sender)
    const { data = '0x', value } = parseTransaction(serializedTransaction)
    const [owner, relayer] = decodeAbiParameters([{ type: 'address' }, { type: 'address' }], `0x${data.slice(-128)}`)
    expect([owner, relayer, value ?? 0n]).to.deep.equal([contractOwner, sender, 0n])
  })

  it('refuses another intent, or another wallet, under an operation that it signed', async () => {
    await signer.signIntent('operation:2', deployment())
    expect(await refused(signer.signIntent('operation:2', { ...deployment(), nonce: 1 }))).to.equal(409)
    expect(await refused(signer.signIntent('operation:2', { ...deployment(), account: 'account:same' }))).to.equal(409)
  })

  it('signs only one of two intents that come at once under one operation', async () => {
    const sign = (gas: string) => refused(signer.signIntent('operation:3', { ...deployment(), gas }))
    expect((await Promise.all(['4000000', '5000000'].map(sign))).sort()).to.deep.equal([409, undefined])
  })

  it('refuses to sign for a wallet that it does not know, and for one of a person', async () => {
    expect(await refused(signer.signIntent('operation:4', { ...deployment(), account: 'account:nobody' }))).to.equal(
      404,
    )
    expect(await refused(signer.signIntent('operation:4', { ...deployment(), account: 'account:same' }))).to.equal(403)
  })

  it('deploys nothing on a network that has no owner for contracts', async () => {
    const elsewhere = { ...deployment(), network: 'BaseSepolia', chainId: 84_532, account: 'account:same' }
    const said = await signer.signIntent('operation:5', elsewhere).catch((cause: unknown) => cause)
    expect((said as SignerRefusedError).code).to.equal('OWNER')
  })

  it('refuses a wrong secret', async () => {
    const stranger = createSignerClient({ ...rig.settings, signerSecret: 'not the secret at all' })
    expect(await refused(stranger.ensureKey('account:a', 'evm'))).to.equal(401)
    stranger.close()
  })

  it('lets nobody but its user open the socket', () => {
    expect((statSync(rig.settings.signerSocket ?? '').mode & 0o777).toString(8)).to.equal('600')
  })

  it('answers requests that make no sense with 4xx and goes on', async () => {
    const raw = (text: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connectSocket(rig.settings.signerSocket ?? '', () => socket.end(text))
        const parts: Buffer[] = []
        socket.on('data', (part: Buffer) => parts.push(part)).once('error', reject)
        socket.once('close', () => resolve(Buffer.concat(parts).toString()))
      })
    const secret = rig.settings.signerSecret
    const request = (body: string) =>
      raw(
        [
          'POST /sign HTTP/1.1',
          'host: s',
          'connection: close',
          `authorization: Bearer ${secret}`,
          `content-length: ${Buffer.byteLength(body)}`,
          '',
          body,
        ].join('\r\n'),
      )
    for (const body of ['', 'null', '[', '{"account":7}', `{"account":"${'x'.repeat(600_000)}"}`]) {
      expect(await request(body)).to.match(/^HTTP\/1.1 4(00|13) /)
    }
    expect(await signer.ensureKey('account:a', 'evm')).to.be.a('string')
  })

  it('keeps keys encrypted, each under the name of its account', async () => {
    const rows = await listSignerKeys(rig.signerUrl)
    const sealed = rows.map((row) => row.sealed)
    expect(new Set(sealed.map((bytes) => bytes.length))).to.deep.equal(new Set([12 + 12 + 16 + 32]))
    expect(new Set(sealed.map((bytes) => bytes.subarray(0, 12).toString('hex'))).size).to.equal(1)
    expect(rows.every((row) => !JSON.stringify(row).includes(senderKey.slice(2)))).to.equal(true)
    expect(sealed.some((bytes) => bytes.includes(Buffer.from(senderKey.slice(2), 'hex')))).to.equal(false)
    const seal = createSeal(randomBytes(32).toString('base64'))
    const box = seal.encrypt('evm:account:a', Buffer.from('secret'))
    expect(seal.decrypt('evm:account:a', box).toString()).to.equal('secret')
    expect(() => seal.decrypt('evm:account:b', box)).to.throw()
    expect(() => createSeal(randomBytes(32).toString('base64')).decrypt('evm:account:a', box)).to.throw()
  })

  it('has tables that the other processes cannot read', async () => {
    const reading = listSignerKeys(rig.env['DATABASE_URL'] ?? '').then(
      () => 'read',
      (cause: { code: string }) => cause.code,
    )
    expect(await reading).to.equal('42501')
  })

  it('sends with the keys that its operator configured, else with one of its own', async () => {
    const configured = privateKeyToAddress(senderKey as Hex)
    expect(await signer.readSenders('XdcApothem')).to.deep.equal({
      senders: [{ account: `sender:XdcApothem:${configured}`, address: configured }],
      owner: null,
    })
    const {
      senders: [own, ...others],
      owner,
    } = await signer.readSenders('EthereumAnvil')
    expect(owner).to.equal(contractOwner)
    expect([own?.account, others]).to.deep.equal(['sender:EthereumAnvil:0', []])
    expect((await signer.readSenders('EthereumAnvil')).senders).to.deep.equal([own])
  })

  it('erases the key of an account for ever, and keeps its address', async () => {
    const address = await signer.ensureKey('account:leaving', 'evm')
    expect(await signer.eraseKey('account:leaving', 'evm')).to.deep.equal({ erased: true })
    expect(await signer.eraseKey('account:leaving', 'evm')).to.deep.equal({ erased: false })
    expect(await signer.ensureKey('account:leaving', 'evm')).to.equal(address)
    const kept = (await listSignerKeys(rig.signerUrl)).find(({ account }) => account === 'account:leaving')
    expect(kept?.sealed.length).to.equal(0)
    expect(await refused(signer.signIntent('operation:5', { ...deployment(), account: 'account:leaving' }))).to.equal(
      403,
    )
    expect(await signer.resealKeys()).to.deep.equal({ resealed: 0 })
    for (const name of ['issuer:shop', 'sender:EthereumAnvil:0']) {
      expect(await refused(signer.eraseKey(name, 'evm'))).to.equal(400)
    }
  })

  it('answers the same after it was killed', async () => {
    const before = await signer.ensureKey('account:kept', 'evm')
    const signature = await signer.signIntent('operation:kept', deployment())
    await rig.signer.kill()
    const away = await signer.ensureKey('account:kept', 'evm').then(
      () => 'answered',
      (cause: unknown) => cause,
    )
    expect(away).to.be.instanceOf(SignerUnreachableError)
    await rig.signer.start()
    expect(await signer.ensureKey('account:kept', 'evm')).to.equal(before)
    expect(await signer.signIntent('operation:kept', deployment())).to.deep.equal(signature)
  })
})
