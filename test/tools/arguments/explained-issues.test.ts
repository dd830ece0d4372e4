import { expect } from 'chai'
import { readCatalogue } from '../../../tools/catalogue/catalogue.ts'
import { toIssues } from '../../../tools/results/issues.ts'
import { explainIssues } from '../../../tools/search/explain-issues.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'
import { readCommittedCatalogue } from '../../support/bridge/committed-catalogue.ts'

type Catalogue = ReturnType<typeof readCommittedCatalogue>

/** Returns the first message for an argument or a part of it. */
function explain({ tools, readTools }: Catalogue, name: string, args: object, path: string): string | undefined {
  const tool = tools.get(name) ?? readTools.get(name)
  if (!tool) throw new Error(`There is no ${name}`)
  return explainIssues(tool, toIssues(tool.validateArguments(args))).find((issue) => issue.path === path)?.message
}

describe('tools/search: explanations of wrong arguments', () => {
  const fixture = readCatalogue(createBridgeDocument(), 'http://127.0.0.1:3333')

  it('name the argument that an unknown one was meant to be, and none that is not like it', () => {
    const wrong = { stauts: 'draft', zzz: 1, name: 'a' }
    expect(explain(fixture, 'create_widget', wrong, 'stauts')).to.equal('is not known here; did you mean status?')
    expect(explain(fixture, 'create_widget', wrong, 'zzz')).to.equal('is not known here')
  })

  it('name the fields of filters and sorters once, however many are wrong', () => {
    const filters = { stat: { eq: 1 }, colour: { eq: 1 } }
    const first = 'is not known here; did you mean status? Filters: status, createdAt.'
    expect(explain(fixture, 'publish_widgets', { filters }, 'filters.stat')).to.equal(first)
    expect(explain(fixture, 'publish_widgets', { filters }, 'filters.colour')).to.equal('is not known here')
  })

  it('say how everything is meant where filters are missing', () => {
    const message = explain(readCommittedCatalogue(), 'publish_dpp_passports', {}, 'filters')
    expect(message).to.equal('is missing; [] means all')
  })

  const committed = readCommittedCatalogue()
  for (const { entry, plan } of [...committed.tools.values(), ...committed.readTools.values()])
    for (const list of ['filters', 'sorters'] as const) {
      if (!plan.bindings.some(({ argument }) => argument === list)) continue
      it(`name the fields of ${list} as the description of ${entry.name} does`, () => {
        const wrong = { [list]: { nothing: list === 'filters' ? { eq: 1 } : 'asc' } }
        const title = list === 'filters' ? 'Filters' : 'Sorters'
        const [, stated] = new RegExp(`${title}: (.*?)\\.(?: |$)`).exec(entry.description) ?? []
        const message = explain(committed, entry.name, wrong, `${list}.nothing`)
        expect(message).to.match(new RegExp(`^is not known here.* ${title}: `))
        if (stated !== undefined) expect(message).to.contain(`${title}: ${stated}.`)
      })
    }
})
