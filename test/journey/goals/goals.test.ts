import { expect } from 'chai'
import { formatFigures, goals, reachGoal } from './goals.ts'

describe('Goals over MCP: what an assistant reaches with nothing but the bridge', function () {
  this.timeout(180_000)

  for (const goal of goals) {
    it(`${goal.letter}: ${goal.title}`, async () => {
      const figures = await reachGoal(goal, 'default')
      console.log(formatFigures(figures))
      if (goal.limits) {
        expect(figures.calls, 'calls').to.be.at.most(goal.limits.calls)
        if (goal.limits.tokens !== undefined) expect(figures.tokens, 'tokens').to.be.at.most(goal.limits.tokens)
      }
    })
  }
})
