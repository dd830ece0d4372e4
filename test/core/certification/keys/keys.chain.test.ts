import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { encodeFunctionData, decodeFunctionResult } from 'viem'
import type { ChainRecordKind, RecordOutcome } from '../../../../core/chains/port.ts'
import { keysAbi } from '../../../../core/chains/evm/contracts/keys.abi.ts'
import type { Network } from '../../../../core/chains/networks.ts'
import { callRpc } from '../../../../core/embedded/rpc.ts'
import { registerKeyOnNetwork, createKeySettler } from '../../../../core/features/certification/index.ts'
import type { CertificationKey } from '../../../../core/features/certification/index.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import { platform } from '../../../support/platform.ts'
import { toOrganizationWord } from '../../../support/chains/record-contracts.ts'
import { createApiClient } from '../../../support/client.ts'
import { countActiveKeys } from '../../../support/rows/certification/keys.ts'
import { startRotation } from '../../../support/rows/certification/rotations.ts'
import { deleteJob } from '../../../support/rows/queue/job-rows.ts'
import { listKeyJobs, readJobProgress } from '../../../support/rows/queue/key-jobs.ts'
import { getOperator } from '../../identity/people.ts'
import { getBody, waitForJob, formatVerdict } from '../../dpp/passports/fixtures.ts'
import { buildShop, type Shop } from '../../../support/world.ts'
import { readActiveKey, listKeys, revokeKey, rotateKey, readRotation, waitUntilAnswer } from './keys.ts'

const hash = (digit: number) => `0x${String(digit).repeat(64)}`

describe('Certification keys on chains', () => {
  let context: Context
  let shop: Shop

  before(async () => {
    context = await getOperator()
  })
  beforeEach(async () => {
    shop = await buildShop()
  })

  const one = async (id: string) => (await listKeys(shop.api)).find((key) => key.id === id) as CertificationKey
  const statuses = async () => (await listKeys(shop.api)).map(({ status }) => status)
  const jobsOf = () => listKeyJobs(context.db, shop.organization)

  describe('with a node', () => {
    const network = 'EthereumAnvil'

    /** As a certify job does before it anchors. */
    const register = () =>
      context.db.transaction((trx) => registerKeyOnNetwork(trx, context, shop.organization, network, randomUUID()))
    const registered = (id: string) =>
      waitUntilAnswer(
        () => one(id),
        ({ onChainStatus }) => onChainStatus === 'registered',
      )

    /** The address of the registry, by the receipts of the organization's keys. */
    async function readRegistry(): Promise<string> {
      const { did } = await readActiveKey(shop.api)
      const answer = await createApiClient().get(`/v1/dpp/issuers/${did}/keys`)
      const keys = getBody<{ receipts: { network: Network; contract: string | null }[] }[]>(answer)
      const receipt = keys.flatMap(({ receipts }) => receipts).find((one) => one.network === network)
      if (!receipt?.contract) throw new Error(`No receipt names the registry: ${answer.text}`)
      return receipt.contract
    }

    /** The registry's words on a key, by a plain call of its contract. */
    async function windowOf(key: CertificationKey) {
      const publicKey = `0x${Buffer.from(key.publicKeyJwk.x, 'base64url').toString('hex')}` as const
      const to = await readRegistry()
      const data = encodeFunctionData({
        abi: keysAbi,
        functionName: 'windowOf',
        args: [toOrganizationWord(shop.organization), publicKey],
      })
      const answer = await callRpc<`0x${string}`>(platform.rpc, 'eth_call', [{ to, data }, 'latest'])
      const window = decodeFunctionResult({ abi: keysAbi, functionName: 'windowOf', data: answer })
      const [registeredAt = 0, rotatedAt = 0, revokedAt = 0, compromisedAt = 0] = window.map(Number)
      return { registeredAt, rotatedAt, revokedAt, compromisedAt }
    }

    it("are registered, take each other's place and are revoked there, each once", async () => {
      const first = await readActiveKey(shop.api)
      await register()
      await register()
      const { networks } = await registered(first.id)
      expect(networks).to.have.length(1)
      expect(networks[0]).to.include({ network, status: 'registered' })
      expect(networks[0]?.transactionHash).to.match(/^0x[0-9a-f]{64}$/)

      const { key: second, queuedJobs } = await readRotation(shop.api)
      expect([second.status, queuedJobs]).to.deep.equal(['pending', 1])
      const during = await rotateKey(shop.api)
      if (during.status !== 200) expect(formatVerdict(during)).to.equal('409 DPP_KEY_ROTATION_PENDING')
      const moved = await waitUntilAnswer(
        () => one(second.id),
        ({ status }) => status !== 'pending',
      )
      expect([moved.status, moved.onChainStatus, (await one(first.id)).status]).to.deep.equal([
        'active',
        'registered',
        'rotated',
      ])

      const [job] = await jobsOf()
      expect(await waitForJob(shop.api, `/v1/jobs/${job?.id}`)).to.deep.include({
        type: 'rotate',
        status: 'completed',
        total: 1,
        completed: 1,
        result: { act: 'rotateKey', key: second.id, network, transactionHash: moved.networks[0]?.transactionHash },
      })
      const [before, after] = [await windowOf(first), await windowOf(second)]
      expect(before.rotatedAt).to.equal(after.registeredAt).and.to.be.greaterThan(0)
      expect([before.revokedAt, after.rotatedAt, after.revokedAt]).to.deep.equal([0, 0, 0])

      const compromisedAt = '2026-01-02T03:04:05.000Z'
      await revokeKey(shop.api, second.id, { reason: 'lost', compromisedAt })
      const third = await readActiveKey(shop.api)
      await registered(third.id)
      const revoked = await waitUntilAnswer(
        () => one(second.id),
        (key) => key.networks[0]?.status === 'revoked',
      )
      expect([revoked.status, revoked.onChainStatus]).to.deep.equal(['revoked', 'pending'])
      const last = await windowOf(second)
      expect(last.revokedAt).to.be.greaterThan(0)
      expect(last.compromisedAt).to.equal(Date.parse(compromisedAt) / 1000)
      expect((await windowOf(third)).registeredAt).to.be.greaterThan(0)
    }).timeout(90_000)

    it('have exactly one active at every instant while networks answer and many rotate and revoke', async () => {
      const { id } = await readActiveKey(shop.api)
      await register()
      await registered(id)
      const seen = new Set<number>()
      let over = false
      const watching = (async () => {
        while (!over) seen.add(await countActiveKeys(context.db, shop.organization))
      })()
      const verdicts = await Promise.all(
        Array.from({ length: 20 }, async (_, turn) => {
          if (turn % 2 === 0) return formatVerdict(await rotateKey(shop.api))
          const open = (await listKeys(shop.api)).filter(({ status }) => status !== 'revoked')
          return formatVerdict(await revokeKey(shop.api, open[turn % open.length]?.id ?? ''))
        }),
      )
      const rest = (keys: CertificationKey[]) =>
        keys.every(({ status, networks: [one] }) =>
          status === 'revoked' ? one?.status !== 'registered' : status !== 'pending' && one?.status !== 'pending',
        )
      const keys = await waitUntilAnswer(() => listKeys(shop.api), rest)
      over = true
      await watching
      expect(verdicts.filter((each) => each !== '200' && each !== '409 DPP_KEY_ROTATION_PENDING')).to.deep.equal([])
      expect([...seen]).to.deep.equal([1])
      expect(keys.filter(({ status }) => status === 'active')).to.have.length(1)
      for (const { id: job } of await jobsOf())
        expect((await waitForJob(shop.api, `/v1/jobs/${job}`)).status).to.equal('completed')
      for (const key of keys) {
        const { registeredAt, revokedAt } = await windowOf(key)
        expect([registeredAt > 0, revokedAt > 0]).to.deep.equal([
          key.networks.length > 0,
          key.status === 'revoked' && key.networks.length > 0,
        ])
      }
    }).timeout(90_000)
  })

  describe('for each answer of a network', () => {
    const networks: Network[] = ['BaseSepolia', 'XdcApothem']
    const settle = (...outcomes: RecordOutcome[]) =>
      context.db.transaction((trx) => createKeySettler(context)(trx, outcomes))

    /** A rotation that waits on two networks, which this installation has no node of. */
    async function waiting() {
      const { organization } = shop
      const { id: previous } = await readActiveKey(shop.api)
      return { previous, key: await startRotation(context, { organization, previous, networks }) }
    }

    async function outcome(
      kind: ChainRecordKind,
      key: string,
      network: Network,
      more: Partial<RecordOutcome> = {},
    ): Promise<RecordOutcome> {
      const jobs = await jobsOf()
      const own = jobs.find((job) => job.act === kind && job.key === key && job.network === network)
      return {
        id: `${kind}:${network}:${key}`,
        kind,
        organization: shop.organization,
        network,
        job: own?.id ?? randomUUID(),
        status: 'final',
        reason: null,
        contract: `0x${'1'.repeat(40)}`,
        transactionHash: hash(1),
        blockNumber: 7,
        at: new Date(),
        ...more,
      }
    }
    const failed = {
      status: 'failed',
      reason: 'no',
      contract: null,
      transactionHash: null,
      blockNumber: null,
      at: null,
    } as const

    it('are replaced when the first network has the new one, and hear of the second', async () => {
      const { previous, key } = await waiting()
      expect(await statuses()).to.deep.equal(['pending', 'active'])
      expect(formatVerdict(await rotateKey(shop.api))).to.equal('409 DPP_KEY_ROTATION_PENDING')
      await settle(await outcome('registerKey', key, 'XdcApothem'))
      expect(await statuses()).to.deep.equal(['active', 'rotated'])
      expect((await one(key)).networks).to.deep.equal([
        { network: 'BaseSepolia', status: 'pending', transactionHash: null },
        { network: 'XdcApothem', status: 'registered', transactionHash: hash(1) },
      ])
      await settle(await outcome('registerKey', key, 'BaseSepolia', failed))
      expect((await one(key)).networks.map(({ status }) => status)).to.deep.equal(['failed', 'registered'])
      expect([(await one(key)).status, (await one(previous)).status]).to.deep.equal(['active', 'rotated'])
      const [first, second] = await Promise.all(
        (await jobsOf()).map(({ id }) => waitForJob(shop.api, `/v1/jobs/${id}`)),
      )
      expect([first?.status, second?.status]).to.deep.equal(['failed', 'completed'])
      expect(first?.errors[0]).to.deep.equal({ line: 0, code: 'ROTATE_FAILED', message: 'no' })
    })

    it('take only new facts from an outcome that comes again after a reorganization', async () => {
      const { key } = await waiting()
      await settle(await outcome('registerKey', key, 'XdcApothem'))
      const job = (await jobsOf()).find((one) => one.network === 'XdcApothem')?.id
      await waitForJob(shop.api, `/v1/jobs/${job}`)
      const { key: next } = await rotatedBy(key)
      await settle(await outcome('registerKey', key, 'XdcApothem', { transactionHash: hash(2) }))
      expect([(await one(key)).status, (await one(next)).status]).to.deep.equal(['revoked', 'active'])
      expect((await one(key)).networks[1]).to.deep.equal({
        network: 'XdcApothem',
        status: 'registered',
        transactionHash: hash(2),
      })
      const revocationAnswer = await waitUntilAnswer(
        () => waitForJob(shop.api, `/v1/jobs/${job}`),
        ({ result }) => (result as unknown as { transactionHash: string } | null)?.transactionHash === hash(2),
      )
      expect([revocationAnswer.status, revocationAnswer.completed]).to.deep.equal(['completed', 1])
    })

    /** Revokes the active key, so that another is active. */
    async function rotatedBy(key: string): Promise<{ key: string }> {
      expect((await revokeKey(shop.api, key)).status).to.equal(200)
      return { key: (await readActiveKey(shop.api)).id }
    }

    it('give a new one up that every network refuses, so that the next can be tried', async () => {
      const { previous, key } = await waiting()
      await settle(await outcome('registerKey', key, 'XdcApothem', failed))
      expect((await one(key)).status).to.equal('pending')
      await settle(await outcome('registerKey', key, 'BaseSepolia', failed))
      expect([(await one(key)).status, (await one(previous)).status]).to.deep.equal(['revoked', 'active'])
      expect((await readRotation(shop.api)).key.status).to.equal('active')
    })

    it('let a waiting one be revoked, and revoke it on a network that has it afterwards', async () => {
      const { previous, key } = await waiting()
      expect((await revokeKey(shop.api, key)).body).to.include({ id: key, status: 'revoked' })
      expect((await jobsOf()).map(({ act }) => act)).to.deep.equal(['registerKey', 'registerKey'])
      await settle(await outcome('registerKey', key, 'XdcApothem'))
      expect([(await one(key)).status, (await one(previous)).status]).to.deep.equal(['revoked', 'active'])
      expect((await jobsOf()).map(({ act }) => act)).to.deep.equal(['registerKey', 'registerKey', 'revokeKey'])
      await settle(await outcome('registerKey', key, 'BaseSepolia'))
      const revoking = (await jobsOf()).filter(({ act }) => act === 'revokeKey')
      expect(revoking.map((job) => job.network)).to.deep.equal(['XdcApothem', 'BaseSepolia'])
      await settle(await outcome('revokeKey', key, 'XdcApothem', { transactionHash: hash(3) }))
      expect((await one(key)).networks[1]).to.deep.equal({
        network: 'XdcApothem',
        status: 'revoked',
        transactionHash: hash(3),
      })
    })

    it('make the waiting one active at once when the active one is revoked', async () => {
      const { previous, key } = await waiting()
      await revokeKey(shop.api, previous)
      expect([(await one(key)).status, (await one(previous)).status]).to.deep.equal(['active', 'revoked'])
      await settle(await outcome('registerKey', key, 'XdcApothem'))
      expect(await statuses()).to.deep.equal(['active', 'revoked'])
    })

    it('leave the job of whoever needed the key on a network as it is', async () => {
      const { id } = await readActiveKey(shop.api)
      const { organization } = shop
      const job = await context.db.transaction((trx) =>
        context.queue.enqueue(trx, { type: 'publish', organization, total: 9, payload: {}, isHeld: true }),
      )
      await context.db.transaction((trx) => registerKeyOnNetwork(trx, context, shop.organization, 'XdcApothem', job))
      await settle(await outcome('registerKey', id, 'XdcApothem', { job }))
      expect((await one(id)).onChainStatus).to.equal('registered')
      expect(await readJobProgress(context.db, job)).to.deep.equal({ completed: 0, failed: 0, isWoken: false })
      await deleteJob(context.db, job)
    })
  })
})
