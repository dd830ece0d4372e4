import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Capabilities } from '../../../core/chains/networks.ts'
import type { NewTokenOperation } from '../../../core/chains/port.ts'
import {
  createAnchors,
  createClaim,
  createMints,
  toTokenId,
  type AnchorRecord,
} from '../../support/chains/chain-rig.ts'
import { startDatabaseServer, type DatabaseServer } from '../../support/database/database-server.ts'
import { countChainTransactions } from '../../support/rows/chains/transactions.ts'
import type { FamilyStage } from './stage.ts'
import { definePointsSuite } from './suite.points.ts'

const quick = { idleIntervalMs: 200, resendDelayMs: 500, replaceDelayMs: 400, lostPlaceDelayMs: 300 }

/** The first of a kind strikes what puts the collection on the chain, a later one a batch or a root. */
const faultPoints = ['tx.stored:1', 'tx.stored:3', 'tx.broadcast:2', 'tx.receipt:1']

/** Defines the tests that hold for every family of chains. */
export function defineFamilySuite(
  family: string,
  capabilities: Capabilities,
  startStage: (server: DatabaseServer) => Promise<FamilyStage>,
): void {
  describe(`Chain sender on ${family}`, () => {
    let server: DatabaseServer
    let stage: FamilyStage
    let application: string

    before(async () => {
      server = await startDatabaseServer()
      stage = await startStage(server)
    })
    after(async () => {
      await stage.stop()
      await server.stop()
    })
    beforeEach(() => {
      application = randomUUID()
    })

    const createBatch = (count: number, series: string) =>
      createMints(stage.rig, count, series, application, stage.network)
    const createRoots = (count: number, series: string) => createAnchors(stage.rig, count, series, stage.network)
    const createClaimOf = (kind: 'mintTo' | 'transferTo', token: string, to: string) => ({
      ...createClaim(stage.rig, kind, toTokenId(token), to, application),
      network: stage.network,
    })
    /** Runs senders in this process while `work` runs. */
    const withSenders = async (work: () => Promise<void>) => {
      const senders = stage.rig.startSenders(quick)
      await work().finally(() => senders.stop())
    }
    const queue = async (operations: readonly NewTokenOperation[], roots: readonly AnchorRecord[] = []) => {
      if (operations.length > 0) await stage.rig.queueOperations(operations)
      if (roots.length > 0) await stage.rig.insertRecords(roots)
    }
    /** Waits until everything is final, and expects that the chain has each token and each root once. */
    const expectOnce = async (mints: readonly NewTokenOperation[], roots: readonly AnchorRecord[], times = 1) => {
      const tokens = await stage.rig.waitForOutcomes(
        mints.map(({ id }) => id),
        45_000,
        times,
      )
      const records = await stage.rig.waitForRecords(roots, times)
      const outcomes = [...tokens, ...records].map((one) => `${one.status} ${one.times}`)
      expect(new Set(outcomes)).to.deep.equal(new Set([`final ${times}`]))
      const [minted, anchored] = [await stage.countMints(), await stage.countAnchors()]
      expect(mints.filter(({ tokenId }) => minted.get(tokenId) !== 1)).to.deep.equal([])
      expect(roots.filter(({ root }) => anchored.get(root) !== 1)).to.deep.equal([])
      return { tokens, records }
    }

    it('mints a job in batches of at most what the family takes', async () => {
      const mints = createBatch(capabilities.maxTokensPerBatch * 2 + 10, 'many')
      await withSenders(async () => {
        await queue(mints)
        const { tokens } = await expectOnce(mints, [])
        const sizes = [...Map.groupBy(tokens, ({ hash }) => hash).values()].map(({ length }) => length)
        expect(sizes.filter((size) => size > capabilities.maxTokensPerBatch)).to.deep.equal([])
        expect(new Set(tokens.map(({ owner }) => owner))).to.deep.equal(
          new Set([await stage.rig.chains.ensureWalletAddress(stage.network, `issuer:${application}`)]),
        )
        const contracts = await stage.rig.chains.listDeployedContracts(stage.rig.db, [application])
        expect(contracts.map(({ address }) => address)).to.deep.equal([tokens[0]?.contract])
      })
    })

    it('mints a passport to its claimer, and moves another from the issuer to its claimer', async () => {
      const claimer = await stage.openWallet('account:claimer')
      const [mint] = createBatch(1, 'moved')
      if (!mint) throw new Error('unreachable')
      const claims = [createClaimOf('mintTo', 'fresh', claimer), createClaimOf('transferTo', 'moved 0', claimer)]
      await withSenders(async () => {
        await queue([mint, ...claims])
        const outcomes = await stage.rig.waitForOutcomes(claims.map(({ id }) => id))
        const issuer = await stage.rig.chains.ensureWalletAddress(stage.network, `issuer:${application}`)
        expect(outcomes.map(({ status, sender, owner }) => [status, sender, owner])).to.deep.equal([
          ['final', null, claimer],
          ['final', issuer, claimer],
        ])
      })
    })

    it('anchors roots with the transaction and the time that prove them', async () => {
      const roots = createRoots(3, 'proven')
      await withSenders(async () => {
        await queue([], roots)
        const { records } = await expectOnce([], roots)
        const transactions = new Set(records.map(({ hash }) => hash))
        expect(transactions.size).to.be.at.least(Math.ceil(roots.length / capabilities.maxRootsPerTransaction))
        expect(records.filter(({ at }) => Math.abs(Number(at) - Date.now()) > 60_000)).to.deep.equal([])
      })
    })

    it('fails what the chain refuses, with a reason for people, and nothing else', async () => {
      const [first] = createBatch(1, 'twice')
      if (!first) throw new Error('unreachable')
      const again = { ...first, id: 'mint:twice:again' }
      const lost = createClaimOf('mintTo', 'to nobody', stage.invalidAddress)
      const others = createBatch(5, 'beside')
      await withSenders(async () => {
        await queue([first])
        await expectOnce([first], [])
        await queue([again, lost, ...others])
        const outcomes = await stage.rig.waitForOutcomes([again.id, lost.id])
        expect(outcomes.map(({ status, reason }) => [status, reason])).to.deep.equal([
          ['failed', 'The token was minted before.'],
          ['failed', 'The receiving address is not valid.'],
        ])
        await expectOnce(others, [])
      })
    })

    it('sends nothing twice when answers of the node get lost', async () => {
      const [mints, roots] = [createBatch(30, 'unanswered'), createRoots(3, 'unanswered')]
      await withSenders(async () => {
        stage.loseAnswers(3)
        await queue(mints, roots)
        await expectOnce(mints, roots)
      })
    })

    for (const point of faultPoints) {
      it(`loses and doubles nothing after a kill at ${point} and a restart`, async () => {
        const [mints, roots] = [createBatch(45, point), createRoots(3, point)]
        const killed = await stage.rig.startSenderProcess(point)
        await queue(mints, roots)
        const [, signal] = (await killed.exited) as [number | null, string | null]
        expect(signal, 'the fault point was reached').to.equal('SIGKILL')
        await withSenders(async () => {
          await expectOnce(mints, roots)
        })
      })
    }

    it('is done by one of two processes, and by the other when that one is killed', async () => {
      const first = await stage.rig.startSenderProcess()
      const second = await stage.rig.startSenderProcess()
      const [mints, roots] = [createBatch(45, 'shared'), createRoots(3, 'shared')]
      await queue(mints, roots)
      await expectOnce(mints, roots)
      await first.kill()
      const [moreMints, moreRoots] = [createBatch(45, 'taken over'), createRoots(3, 'taken over')]
      await queue(moreMints, moreRoots)
      await expectOnce(moreMints, moreRoots)
      await second.kill()
    })

    if (capabilities.reorganizes) {
      it('sends again, under the same ids, what a reorganization took away', async () => {
        const [kept] = createBatch(1, 'kept')
        if (!kept) throw new Error('unreachable')
        const [mints, roots] = [createBatch(45, 'taken'), createRoots(3, 'taken')]
        await withSenders(async () => {
          await queue([kept])
          await expectOnce([kept], [])
          const endDetour = await stage.startDetour?.()
          await queue(mints, roots)
          await expectOnce(mints, roots)
          await endDetour?.()
          await expectOnce(mints, roots, 2)
        })
      })
    }

    if (capabilities.operations.includes('postPoints'))
      definePointsSuite({ capabilities, getStage: () => stage, withSenders })

    if (capabilities.expires) {
      it('sends again, in new transactions, what expired before a block took it', async () => {
        const [mints, roots] = [createBatch(45, 'late'), createRoots(3, 'late')]
        await withSenders(async () => {
          await queue(createBatch(1, 'early'))
          await stage.rig.waitForOutcome('mint:early:0')
          const expired = stage.expireTransactions?.()
          await queue(mints, roots)
          await expired
          await expectOnce(mints, roots)
        })
        expect(await countChainTransactions(stage.rig.db, { status: 'lost' })).to.be.at.least(1)
      })
    }
  })
}
