import type { OperationDeclaration } from '../../../core/kernel/operation.ts'
import type { Client } from '../../support/client.ts'
import { consolePages, memberOperations } from './places.ts'

/** Pages of one kind that are opened, so that what some things lack and others have is seen. */
const maxPagesOfKind = 4

/** A question about what cannot be done now says why, with the status of the refusal. */
const goodStatuses = [200, 303, 409]
const refusalStatuses = [400, 422]

/** Where a page leads. */
interface Offer {
  method: string
  /** Path and query. */
  target: string
  /** A form may lack what only a person knows, and then be answered with what is missing. */
  isForm: boolean
}

/** What a member finds in the console without writing anything. */
export interface CrawledConsole {
  /** The pages that links lead to and that forms are sent to. */
  pages: ReadonlySet<string>
  /** The operations of the document whose own address a page has as a link or a picture. */
  operations: ReadonlySet<string>
  /** Pages that are not answered, and addresses of the console where nothing is. */
  faults: readonly string[]
}

const createPattern = ({ path }: OperationDeclaration) =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`)
const patterns = [...consolePages, ...memberOperations].map((operation) => ({
  operation,
  pattern: createPattern(operation),
}))

/** The operation that an address leads to: the first that matches, as the server finds it. */
function findOperation({ method, target }: Offer): OperationDeclaration | undefined {
  const [path = ''] = target.split('?')
  return patterns.find(({ operation, pattern }) => operation.method === method && pattern.test(path))?.operation
}

const decode = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'")

const readAttribute = (tag: string, name: string): string | undefined => {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? undefined : decode(value)
}

/** Lists where the links, pictures and forms of a page lead. */
const listOffers = (text: string, here: string): Offer[] => [
  ...[...text.matchAll(/<a\b[^>]*>/g)].map(([tag]) => createOffer(here, readAttribute(tag, 'href'))),
  ...[...text.matchAll(/<img\b[^>]*>/g)].map(([tag]) => createOffer(here, readAttribute(tag, 'src'))),
  ...[...text.matchAll(/(<form\b[^>]*>)(.*?)<\/form>/gs)].flatMap(([, tag = '', content = '']) =>
    listFormOffers(tag, content, here),
  ),
]

function createOffer(here: string, address = '', method = 'get', fields?: URLSearchParams): Offer {
  const { pathname, search } = new URL(address, `http://console.example${here}`)
  return {
    method: method.toUpperCase(),
    target: `${pathname}${fields ? `?${fields.toString()}` : search}`,
    isForm: fields !== undefined,
  }
}

/**
 * Where the buttons of a form lead if nothing is written in its fields and every box is ticked. A button may send the form
 * elsewhere.
 */
function listFormOffers(tag: string, content: string, here: string): Offer[] {
  const fields: [name: string, value: string][] = []
  for (const [input] of content.matchAll(/<input\b[^>]*>/g)) {
    const name = readAttribute(input, 'name')
    const isTicked = !input.includes('type="radio"') || / checked\b/.test(input)
    if (name !== undefined && isTicked) fields.push([name, readAttribute(input, 'value') ?? ''])
  }
  for (const [, select = '', options = ''] of content.matchAll(/(<select\b[^>]*>)(.*?)<\/select>/gs)) {
    const chosen = /<option\b[^>]* selected[^>]*>/.exec(options)?.[0] ?? /<option\b[^>]*>/.exec(options)?.[0] ?? ''
    fields.push([readAttribute(select, 'name') ?? '', readAttribute(chosen, 'value') ?? ''])
  }
  return [...content.matchAll(/<button\b[^>]*>/g)].map(([button]) => {
    const method = readAttribute(button, 'formmethod') ?? readAttribute(tag, 'method') ?? 'get'
    const address = readAttribute(button, 'formaction') ?? readAttribute(tag, 'action')
    const name = readAttribute(button, 'name')
    const pressed: [name: string, value: string][] =
      name === undefined ? [] : [[name, readAttribute(button, 'value') ?? '']]
    return createOffer(
      here,
      address,
      method,
      method === 'get' ? new URLSearchParams([...fields, ...pressed]) : undefined,
    )
  })
}

/**
 * Opens pages of the console from its first one, as far as links lead and forms that only read, and sends no form that
 * changes anything.
 * @param client a client with the session of a member, or of nobody
 */
export async function crawlConsole(client: Pick<Client, 'get'>): Promise<CrawledConsole> {
  const faults: string[] = []
  const pages = new Set<string>()
  const linkedOperations = new Set<string>()
  const counts = new Map<string, number>()
  const targets = new Map([['/console', { isForm: false }]])
  const add = (offer: Offer, from: string) => {
    const operation = findOperation(offer)
    const isOfConsole = /^\/console([/?]|$)/.test(offer.target)
    if (!operation) {
      if (isOfConsole) faults.push(`${from} leads to ${offer.method} ${offer.target}, where nothing is`)
      return
    }
    ;(isOfConsole ? pages : linkedOperations).add(operation.id)
    const count = counts.get(operation.id) ?? 0
    if (!isOfConsole || offer.method !== 'GET' || count >= maxPagesOfKind || targets.has(offer.target)) return
    counts.set(operation.id, count + 1)
    targets.set(offer.target, offer)
  }
  for (const [target, { isForm }] of targets) {
    const { status, text, headers } = await client.get(target)
    if (!goodStatuses.includes(status) && !(isForm && refusalStatuses.includes(status)))
      faults.push(`${target} is answered with ${status}`)
    const { location } = headers
    if (typeof location === 'string' && location.startsWith('/console')) add(createOffer(target, location), target)
    if (!String(headers['content-type']).startsWith('text/html')) continue
    for (const offer of listOffers(text, target)) add(offer, target)
  }
  return { pages, operations: linkedOperations, faults }
}
