import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { OperationDeclaration } from '../../../core/kernel/operation.ts'
import { freeForms, guardedForms } from '../../../core/pages/console/fresh-sign-in/acts.ts'
import { graveExceptions, hasGraveName, isDestructive, isGrave, ownForms } from './acts.ts'
import { placeExceptions } from './exceptions.ts'
import { consolePages, findPlaces, memberOperations } from './places.ts'

interface DescribedOperation {
  operationId?: string
  'x-mcp-hints'?: { destructiveHint: boolean }
}

/**
 * The list of forms that need a fresh code says what cannot be undone. Here the same is derived from what operations are
 * declared as, which assistants are told too, and from which form calls the functions of which operation.
 */
describe('Console: forms that need a fresh code', function () {
  this.timeout(120_000)
  const forms = consolePages.filter(({ method }) => method !== 'GET').map(({ id }) => id)
  const declarations = new Map(memberOperations.map((operation) => [operation.id, operation]))
  const isChange = ({ method, document }: OperationDeclaration) =>
    method !== 'GET' && document.mcpHints?.readOnlyHint !== true
  /** The operations that each form calls and that change something. */
  const called = new Map<string, string[]>(forms.map((id) => [id, []]))
  before(() => {
    for (const { operation, pages } of findPlaces())
      if (isChange(declarations.get(operation)!)) for (const page of pages) called.get(page)?.push(operation)
  })

  const needsCode = (form: string) => form in guardedForms
  const listGraveCalls = (form: string) =>
    (called.get(form) ?? []).filter((operation) => isGrave(declarations.get(operation)!))
  const isGraveForm = (form: string) => hasGraveName(form) || listGraveCalls(form).length > 0

  it('are all that delete, revoke, mint or end something, or move points, but those with a reason', () => {
    const forgotten = forms.filter((form) => isGraveForm(form) && !needsCode(form) && !(form in graveExceptions))
    expect(forgotten.map((form) => `${form}: ${listGraveCalls(form).join(', ')}`)).to.deep.equal([])
  })

  it('have no exception that is not needed', () => {
    const needless = Object.keys(graveExceptions).filter((form) => !freeForms.has(form) || !isGraveForm(form))
    expect(needless).to.deep.equal([])
  })

  it('are those of the forms that do what no operation does which cannot be taken back', () => {
    const own = forms.filter((form) => called.get(form)?.length === 0)
    expect(Object.keys(ownForms).toSorted(), 'each has a statement').to.deep.equal(own.toSorted())
    const wrong = own.filter((form) => ownForms[form]?.needsCode !== needsCode(form))
    expect(wrong).to.deep.equal([])
  })

  it('are found for every operation that cannot be undone and has a place in the console', () => {
    const found = new Set([...called.values()].flat())
    const unseen = memberOperations.filter((one) => isGrave(one) && !found.has(one.id) && !(one.id in placeExceptions))
    expect(unseen.map(({ id }) => id)).to.deep.equal([])
  })

  it('follow the hints that assistants get', () => {
    const text = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')
    const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, DescribedOperation>> }
    const described = Object.values(paths).flatMap((operations) => Object.values(operations))
    const different = described.filter(({ operationId = '', 'x-mcp-hints': hints }) => {
      const declaration = declarations.get(operationId)
      return declaration && hints && hints.destructiveHint !== isDestructive(declaration)
    })
    expect(different.map(({ operationId }) => operationId)).to.deep.equal([])
  })
})
