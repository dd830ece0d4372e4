import { baseContext, coreTerms } from '../contexts/index.ts'
import { joinPath, type IssueCollector } from './model.issues.ts'
import { addressPattern, isObject, isUrl, type JsonObject } from '../formats/index.ts'

const dataModel1Context = 'https://www.w3.org/2018/credentials/v1'

/** Checks by its first context whether a credential follows the Data Model 1.1. */
export const isDataModel1 = ({ '@context': contexts }: JsonObject): boolean =>
  Array.isArray(contexts) && contexts[0] === dataModel1Context

/** The terms that the contexts of a document map, as far as this is known without fetching a context. */
export interface TermDefinitions {
  /** Returns false only if no context can map the name. */
  defines(name: string): boolean
}

const openTerms: TermDefinitions = { defines: () => true }

/** Mappings of the base context that another context may repeat. */
const repeatableMeanings = new Map<string, unknown>([
  ['id', '@id'],
  ['type', '@type'],
  ['name', 'https://schema.org/name'],
  ['description', 'https://schema.org/description'],
])

/**
 * Validates the contexts of a credential or a presentation. They must be a list that begins with the context of its
 * version; each further item must be a URL, or an object that redefines no protected term. Fetches nothing: if the list
 * has another context by address, or a vocabulary, every name counts as defined. Source: W3C Verifiable Credentials
 * Data Model 2.0, sections 4.3 and 5.2.1; JSON-LD 1.1, sections 4.1.11 and 9.15.
 */
export function validateContexts(document: JsonObject, path: string, issues: IssueCollector): TermDefinitions {
  const value = document['@context']
  const contextPath = joinPath(path, '@context')
  if (value === undefined) issues.add(contextPath, 'required', 'is missing')
  else if (!Array.isArray(value)) issues.add(contextPath, 'type', `must be a list whose first item is ${baseContext}`)
  else if (value.length === 0) issues.add(contextPath, 'empty', `must begin with ${baseContext}`)
  else return validateContextList(value, isDataModel1(document) ? dataModel1Context : baseContext, contextPath, issues)
  return openTerms
}

function validateContextList(
  contexts: readonly unknown[],
  first: string,
  at: string,
  issues: IssueCollector,
): TermDefinitions {
  if (contexts[0] !== first) issues.add(joinPath(at, 0), 'base_context', `must be ${first}`)
  // The expansion of proofs checks the terms that the context of version 1.1 protects.
  const inline = new InlineContexts(issues, first === baseContext ? coreTerms : new Set())
  const addresses = new Set([contexts[0]])
  let isOpen = contexts[0] !== baseContext
  for (const [index, one] of contexts.entries()) {
    if (index === 0) continue
    const itemPath = joinPath(at, index)
    isOpen ||= !isObject(one)
    if (isObject(one)) inline.addContext(one, itemPath)
    else if (typeof one !== 'string') issues.add(itemPath, 'type', 'must be a URL or an object')
    else if (!isUrl(one)) issues.add(itemPath, 'url', 'must be an absolute URL')
    else if (addresses.has(one)) issues.add(itemPath, 'duplicate', 'is there twice')
    else addresses.add(one)
  }
  return isOpen ? openTerms : inline
}

/** The definition of a protected term, as JSON text; null for a term that may be redefined. */
type Meaning = string | null

/** The contexts that are written in the document itself. */
class InlineContexts implements TermDefinitions {
  readonly #faults: IssueCollector
  readonly #core: ReadonlySet<string>
  readonly #meanings = new Map<string, Meaning>()
  readonly #within = new Set<string>()
  #isOpen = false

  /** @param core terms of the preceding context, all of which are protected */
  constructor(issues: IssueCollector, core: ReadonlySet<string>) {
    this.#faults = issues
    this.#core = core
  }

  defines(name: string): boolean {
    return this.#isOpen || this.#core.has(name) || this.#meanings.has(name) || this.#within.has(name)
  }

  addContext(context: JsonObject, path: string): void {
    const { '@vocab': vocabulary, '@import': more, '@protected': isProtected } = context
    if (vocabulary !== undefined && vocabulary !== null && typeof vocabulary !== 'string') {
      this.#faults.add(joinPath(path, '@vocab'), 'type', 'must be an address or null')
    }
    if (typeof vocabulary === 'string' || more !== undefined) this.#isOpen = true
    for (const [term, definition] of Object.entries(context)) {
      if (!term.startsWith('@')) this.#addTerm(term, definition, joinPath(path, term), isProtected === true)
    }
  }

  #addTerm(term: string, definition: unknown, at: string, isProtected: boolean): void {
    const mapped = isObject(definition) ? definition['@id'] : definition
    const isNothing = mapped === null || (mapped === undefined && isObject(definition))
    const addIssue = (code: string, message: string) => this.#faults.add(at, code, message)
    if (term === '') addIssue('term', 'has no name')
    else if (!isNothing && typeof mapped !== 'string') addIssue('type', 'must map the term to an address, or to null')
    else if (typeof mapped === 'string' && !addressPattern.test(mapped)) addIssue('url', 'must map the term to a URL')
    else if (this.#redefinesTerm(term, definition))
      addIssue('protected_term', 'is protected, and cannot be given another meaning')
    else {
      const own = isObject(definition) ? definition['@protected'] : undefined
      const holds = typeof this.#meanings.get(term) === 'string' || (own === undefined ? isProtected : own === true)
      this.#meanings.set(term, holds ? JSON.stringify(definition) : null)
      if (isObject(definition)) this.#collectTerms(definition['@context'])
    }
  }

  /** Checks whether a definition redefines a protected term. */
  #redefinesTerm(term: string, definition: unknown): boolean {
    if (this.#core.has(term)) return repeatableMeanings.get(term) !== definition
    const before = this.#meanings.get(term)
    return typeof before === 'string' && before !== JSON.stringify(definition)
  }

  /** Collects the terms of nested contexts, where they may have any meaning. */
  #collectTerms(context: unknown): void {
    if (typeof context === 'string') this.#isOpen = true
    else if (Array.isArray(context)) for (const one of context) this.#collectTerms(one)
    else if (isObject(context)) {
      if (context['@vocab'] !== undefined || context['@import'] !== undefined) this.#isOpen = true
      for (const [term, definition] of Object.entries(context)) {
        this.#within.add(term)
        if (isObject(definition)) this.#collectTerms(definition['@context'])
      }
    }
  }
}
