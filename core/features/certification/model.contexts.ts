import { baseContext, coreTerms } from './contexts.terms.ts'
import { below, type Faults } from './model.faults.ts'
import { isUrl, loose } from './model.values.ts'
import { isObject, type Json } from './verify.doubt.ts'

const firstContext = 'https://www.w3.org/2018/credentials/v1'

/** Whether a credential is of the Data Model 1.1, by its first context. */
export const isOfFirstModel = ({ '@context': contexts }: Json): boolean =>
  Array.isArray(contexts) && contexts[0] === firstContext

/** What the contexts of a document give a meaning to, as far as it can be told without fetching one. */
export interface Terms {
  /** False only where no context can map the name. */
  defines(name: string): boolean
}

const open: Terms = { defines: () => true }

/** Meanings that the base context gives, as another context may repeat them. */
const repeated = new Map<string, unknown>([
  ['id', '@id'], ['type', '@type'],
  ['name', 'https://schema.org/name'], ['description', 'https://schema.org/description'],
])

/**
 * Judges the contexts of a credential or a presentation: a list, that of its version first, each further one a URL or an
 * object that gives no protected term another meaning. None is fetched; where there is one by address, or a vocabulary,
 * every name counts as defined. Source: W3C Verifiable Credentials Data Model 2.0, sections 4.3 and 5.2.1; JSON-LD 1.1,
 * sections 4.1.11 and 9.15.
 */
export function judgeContexts(holder: Json, path: string, faults: Faults): Terms {
  const value = holder['@context']
  const at = below(path, '@context')
  if (value === undefined) faults.add(at, 'required', 'is missing')
  else if (!Array.isArray(value)) faults.add(at, 'type', `must be a list whose first item is ${baseContext}`)
  else if (value.length === 0) faults.add(at, 'empty', `must begin with ${baseContext}`)
  else return judgeList(value, isOfFirstModel(holder) ? firstContext : baseContext, at, faults)
  return open
}

function judgeList(contexts: readonly unknown[], first: string, at: string, faults: Faults): Terms {
  if (contexts[0] !== first) faults.add(below(at, 0), 'base_context', `must be ${first}`)
  // What the context of version 1.1 protects is left to the expansion of proofs.
  const inline = new Inline(faults, first === baseContext ? coreTerms : new Set())
  const addresses = new Set([contexts[0]])
  let isOpen = contexts[0] !== baseContext
  for (const [index, one] of contexts.entries()) {
    if (index === 0) continue
    const place = below(at, index)
    isOpen ||= !isObject(one)
    if (isObject(one)) inline.judge(one, place)
    else if (typeof one !== 'string') faults.add(place, 'type', 'must be a URL or an object')
    else if (!isUrl(one)) faults.add(place, 'url', 'must be an absolute URL')
    else if (addresses.has(one)) faults.add(place, 'duplicate', 'is there twice')
    else addresses.add(one)
  }
  return isOpen ? open : inline
}

/** What a term means that may not be given another meaning, as text; null for a term that may. */
type Meaning = string | null

/** The contexts that stand in a document itself. */
class Inline implements Terms {
  readonly #faults: Faults
  readonly #core: ReadonlySet<string>
  readonly #meanings = new Map<string, Meaning>()
  readonly #within = new Set<string>()
  #isOpen = false

  /** @param core terms of the context before them, all protected */
  constructor(faults: Faults, core: ReadonlySet<string>) {
    this.#faults = faults
    this.#core = core
  }

  defines(name: string): boolean {
    return this.#isOpen || this.#core.has(name) || this.#meanings.has(name) || this.#within.has(name)
  }

  judge(context: Json, path: string): void {
    const { '@vocab': vocabulary, '@import': more, '@protected': isProtected } = context
    if (vocabulary !== undefined && vocabulary !== null && typeof vocabulary !== 'string') {
      this.#faults.add(below(path, '@vocab'), 'type', 'must be an address or null')
    }
    if (typeof vocabulary === 'string' || more !== undefined) this.#isOpen = true
    for (const [term, definition] of Object.entries(context)) {
      if (!term.startsWith('@')) this.#judgeTerm(term, definition, below(path, term), isProtected === true)
    }
  }

  #judgeTerm(term: string, definition: unknown, at: string, isProtected: boolean): void {
    const mapped = isObject(definition) ? definition['@id'] : definition
    const isNothing = mapped === null || (mapped === undefined && isObject(definition))
    const tell = (code: string, message: string) => this.#faults.add(at, code, message)
    if (term === '') tell('term', 'has no name')
    else if (!isNothing && typeof mapped !== 'string') tell('type', 'must map the term to an address, or to null')
    else if (typeof mapped === 'string' && !loose.test(mapped)) tell('url', 'must map the term to a URL')
    else if (this.#takes(term, definition)) tell('protected_term', 'is protected, and cannot be given another meaning')
    else {
      const own = isObject(definition) ? definition['@protected'] : undefined
      const holds = typeof this.#meanings.get(term) === 'string' || (own === undefined ? isProtected : own === true)
      this.#meanings.set(term, holds ? JSON.stringify(definition) : null)
      if (isObject(definition)) this.#gather(definition['@context'])
    }
  }

  /** Whether it takes a protected term away from the context that defined it. */
  #takes(term: string, definition: unknown): boolean {
    if (this.#core.has(term)) return repeated.get(term) !== definition
    const before = this.#meanings.get(term)
    return typeof before === 'string' && before !== JSON.stringify(definition)
  }

  /** Terms of contexts that hold inside of others; there they may mean anything. */
  #gather(context: unknown): void {
    if (typeof context === 'string') this.#isOpen = true
    else if (Array.isArray(context)) for (const one of context) this.#gather(one)
    else if (isObject(context)) {
      if (context['@vocab'] !== undefined || context['@import'] !== undefined) this.#isOpen = true
      for (const [term, definition] of Object.entries(context)) {
        this.#within.add(term)
        if (isObject(definition)) this.#gather(definition['@context'])
      }
    }
  }
}
