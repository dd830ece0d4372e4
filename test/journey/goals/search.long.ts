import { expect } from 'chai'
import { formatFigures, goals, reachGoal } from './goals.ts'

describe('Goals over MCP by view=search: found, described and called through three tools', function () {
  this.timeout(180_000)

  for (const goal of goals) {
    it(`${goal.letter}: ${goal.title}`, async () => {
      console.log(formatFigures(await reachGoal(goal, 'search')))
    })
  }

  it('a: by an assistant that reads the guide first, with every list that it reads within the same limits', async () => {
    const [demoShop] = goals
    if (!demoShop?.limits?.tokens) throw new Error('Goal a has no limits')
    const figures = await reachGoal(demoShop, 'search', { readsGuide: true })
    console.log(formatFigures(figures))
    expect(figures.calls, 'calls').to.be.at.most(demoShop.limits.calls)
    expect(figures.tokens + figures.listTokens, 'tokens').to.be.at.most(demoShop.limits.tokens)
  })

  it('a: by a client that cannot ask a person', async () => {
    const [demoShop] = goals
    if (demoShop) console.log(formatFigures(await reachGoal(demoShop, 'search', { cannotAsk: true })))
  })
})
