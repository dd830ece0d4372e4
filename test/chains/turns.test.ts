import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { claim, mints, tokenOf, useRig } from '../support/chains.ts'
import { eventually } from '../support/processes.ts'

describe('turns of organizations in sending', function () {
  this.timeout(180_000)
  const rig = useRig()
  const [a, b] = [{ organization: randomUUID() }, { organization: randomUUID() }]
  const [ofA, ofB] = [randomUUID(), randomUUID()]

  before(() => { rig().send() })

  /** How many operations of an organization have an outcome. */
  async function settled({ organization }: typeof a): Promise<number> {
    const { rows: [found] } = await rig().db.raw<{ rows: { count: number }[] }>(
      `select count(*)::int as count from chain_operations where organization = ? and status = 'final'`, [organization])
    return found?.count ?? 0
  }

  it('sends and settles one mint of an organization before eight batches of one that has 24 waiting', async () => {
    const first = [...mints(a, 1, 'first of A', ofA), ...mints(b, 1, 'first of B', ofB)]
    await rig().queue(first)
    await rig().outcomes(first.map(({ id }) => id))
    await rig().queue(mints(a, 12_000, 'many', ofA))
    await eventually('some are settled', async () => await settled(a) > 500, 30_000)
    const [single] = mints(b, 1, 'single', ofB)
    if (!single) throw new Error('There is no mint')
    const before = await settled(a)
    await rig().queue([single])
    await rig().outcome(single.id)
    expect(await settled(a) - before, 'tokens of A between').to.be.below(4_000)
    await eventually('all of A are settled', async () => await settled(a) === 12_001, 60_000)
  })

  it('sends one claim of an organization before the hundredth of one that has 400 waiting', async () => {
    const to = await rig().chains.address('EthereumAnvil', 'account:buyer')
    const many = Array.from({ length: 400 }, (_, at) => claim(a, 'mintTo', tokenOf(`claim ${at}`), to, ofA))
    const single = claim(b, 'mintTo', tokenOf('single claim'), to, ofB)
    await rig().queue([...many, single])
    await rig().outcome(single.id)
    const { rows } = await rig().db.raw<{ rows: { before: number }[] }>(
      `select count(*)::int as before from chain_transactions t join chain_operations o on o.transaction = t.id
       where o.organization = ? and t.kind = 'mint' and t.nonce < (
         select nonce from chain_transactions where id = (select transaction from chain_operations where id = ?))`,
      [a.organization, single.id])
    expect(rows[0]?.before, 'claims of A sent before').to.be.below(100)
    await rig().outcomes(many.map(({ id }) => id), 150_000)
  })
})
