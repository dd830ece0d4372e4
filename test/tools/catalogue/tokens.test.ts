import { expect } from 'chai'
import { readCommittedCatalogue } from '../../support/bridge/committed-catalogue.ts'
import { toolsetNames } from '../../../tools/toolsets.ts'
import type { ToolViewOptions } from '../../../tools/catalogue/visible-tools.ts'
import { countToolTokens } from '../../support/bridge/tool-tokens.ts'
import { listToolsOfView } from '../../support/bridge/tool-views.ts'

const catalogue = readCommittedCatalogue()

/** The tools of the whole platform, and the tokens that their list may take. */
const platformTools = 90
const maxPlatformTokens = 20_000

/** @returns the tokens and the tools of a view, printed with its name */
function measure(name: string, part: Partial<ToolViewOptions>): { tokens: number; average: number } {
  const tools = listToolsOfView(catalogue, part)
  const tokens = countToolTokens(tools)
  const average = tokens / tools.length
  console.log(
    `      ${name}: ${tools.length} tools, ${tokens.toLocaleString('en')} tokens, ${average.toFixed(0)} on average`,
  )
  return { tokens, average }
}

describe('tools/list: tokens of the list of tools', () => {
  it('are at most 230 a tool on average, and 20,000 for the tools of the whole platform', () => {
    const { average, tokens } = measure('default', {})
    expect(average).to.be.within(50, 230)
    // The largest tools are here already, so a tool that is still to come is expected to be like the middle one.
    const tools = listToolsOfView(catalogue, {})
    const sizes = tools.map((tool) => countToolTokens([tool])).sort((a, b) => a - b)
    const middle = sizes[Math.floor(sizes.length / 2)] ?? 0
    const projected = tokens + Math.max(0, platformTools - tools.length) * middle
    console.log(`      projected: ${platformTools} tools, ${Math.round(projected).toLocaleString('en')} tokens`)
    expect(projected).to.be.at.most(maxPlatformTokens)
    expect(average * platformTools, 'as many tools of the average size').to.be.at.most(maxPlatformTokens)
  })

  it('are at most 4,000 for each toolset', () => {
    for (const name of toolsetNames) {
      expect(measure(`toolsets=${name}`, { toolsets: [name] }).tokens, name).to.be.at.most(4_000)
    }
  })

  it('are at most 1,200 where operations are searched', () => {
    expect(measure('view=search', { search: true }).tokens).to.be.at.most(1_200)
    expect(measure('view=search&readonly=true', { search: true, readonly: true }).tokens).to.be.at.most(1_200)
  })

  it('grow with read tools, and fall with readonly', () => {
    const all = measure('read=tools', { readTools: true })
    const readonly = measure('read=tools&readonly=true', { readTools: true, readonly: true })
    expect(all.tokens).to.be.greaterThan(readonly.tokens)
    expect(measure('readonly=true', { readonly: true }).tokens).to.be.lessThan(readonly.tokens)
    for (const name of toolsetNames) measure(`toolsets=${name}&read=tools`, { toolsets: [name], readTools: true })
  })
})
