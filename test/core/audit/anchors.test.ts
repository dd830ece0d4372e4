import { expect } from 'chai'
import type { Knex } from 'knex'
import { v7 } from 'uuid'
import { createContext, type ContextHandle } from '../../../core/app/context.ts'
import { readSettings } from '../../../core/app/settings.ts'
import {
  anchorSegments,
  appendToTrail,
  endSegments,
  listSegmentAnchors,
  settleAnchors,
  verifyTrail,
} from '../../../core/features/audit/index.ts'
import { runAdminWithSettings } from '../../support/admin-command.ts'
import { platform } from '../../support/platform.ts'
import { waitUntil } from '../../support/processes.ts'
import { changeRoot, rewriteSegment } from '../../support/rows/audit/trail.ts'

describe('Audit trail: its months on a chain', function () {
  this.timeout(120_000)
  let built: ContextHandle
  let db: Knex

  before(async () => {
    // What a worker has: a node, and a signer, which is not called before something is sent.
    built = await createContext(
      readSettings({
        NODE_ENV: 'test',
        LOG_LEVEL: 'fatal',
        DATABASE_URL: platform.database,
        KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
        ETHEREUM_ANVIL_RPC_URL: platform.rpc,
        SIGNER_SOCKET: '/nowhere',
        SIGNER_SECRET: 'a secret that nobody has',
      }),
      'test',
    )
    ;({ db } = built.context)
  })
  after(() => built.close())

  /** A trail with this many entries in a month that is over. */
  async function buildMonth(entries: number): Promise<string> {
    const organization = v7()
    const at = new Date(Date.now() - 40 * 86_400_000)
    for (let count = 0; count < entries; count++)
      await db.transaction((trx) =>
        appendToTrail(
          trx,
          [
            {
              organization,
              actor: { kind: 'member', id: v7(), label: 'anna@example.com', address: '192.0.2.1', requestId: 'r' },
              action: 'api-key.create',
              target: { kind: 'api-key', id: v7(), label: 'Shop' },
            },
          ],
          at,
        ),
      )
    await endSegments(db)
    return organization
  }

  async function anchor(organization: string): Promise<void> {
    await anchorSegments(built.context)
    await waitUntil(
      'the root is final',
      async () => {
        await settleAnchors(built.context)
        const [found] = await listSegmentAnchors(db, organization, 1)
        return found !== undefined && found.transactionHash !== null
      },
      60_000,
    )
  }

  const verify = async (organization: string) => {
    const { differences } = await verifyTrail(db, {
      organization,
      readAnchorTime: (network, root) => built.context.chains.readAnchorTime(db, network, root),
    })
    return differences.map(({ what }) => what)
  }

  it('stand under one root, which is on the chain, and each leads to it', async () => {
    const [one, other] = [await buildMonth(3), await buildMonth(1)]
    await anchor(one)
    await anchor(other)
    const [first] = await listSegmentAnchors(db, one, 14)
    const [second] = await listSegmentAnchors(db, other, 14)
    expect(first).to.deep.include({ length: 3, network: 'EthereumAnvil', root: second?.root })
    expect(first?.transactionHash).to.match(/^0x[0-9a-f]{64}$/)
    expect(await built.context.chains.readAnchorTime(db, 'EthereumAnvil', first?.root ?? '')).to.be.instanceOf(Date)
    expect([await verify(one), await verify(other)]).to.deep.equal([[], []])
  })

  it('are anchored once, however often the upkeep runs', async () => {
    const organization = await buildMonth(1)
    await Promise.all([1, 2, 3].map(() => anchorSegments(built.context)))
    await anchor(organization)
    const [before] = await listSegmentAnchors(db, organization, 14)
    await anchor(organization)
    expect(await listSegmentAnchors(db, organization, 14)).to.deep.equal([before])
  })

  it('tell of a trail that was written anew with all its hashes', async () => {
    const organization = await buildMonth(2)
    await anchor(organization)
    await rewriteSegment(db, organization)
    expect(await verify(organization)).to.deep.equal(['anchor'])
  })

  it('tell of a root that is not on the chain', async () => {
    const organization = await buildMonth(1)
    await anchor(organization)
    const [found] = await listSegmentAnchors(db, organization, 1)
    await changeRoot(db, found?.root ?? '')
    expect(await verify(organization)).to.include('anchor')
  })

  it('are compared by the command, with the nodes too', async () => {
    const organization = await buildMonth(1)
    await anchor(organization)
    const settings = { DATA_DIR: platform.dataDir, ANVIL_RPC_URL: platform.rpc }
    const words = ['audit', 'verify', '--organization', organization, '--chain', '--json']
    const verified = await runAdminWithSettings(settings, ...words)
    expect(verified.json, verified.err).to.deep.equal({ checked: 1, differences: [] })
  })
})
