import { getOwnClient } from '../../core/identity/people.ts'
import { createApiClient, type Answer } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'

/** A member's browser without scripts, as far as HTTP goes. */
export interface Visitor {
  get(path: string, language?: string): Promise<Answer>
  /** Sends a form of one of our pages. */
  post(path: string, fields: Readonly<Record<string, string>>, headers?: Record<string, string>): Promise<Answer>
  cookie: string
}

/** @param api address of the process that is asked @param address the one that people know it by, if it is another */
export function createVisitor(cookie: string, api = platform.api, address = api): Visitor {
  const { send } = createApiClient({ cookie }, api)
  const { origin } = new URL(address)
  return {
    cookie,
    get: (path, language = 'en') =>
      send('GET', path, undefined, { headers: { 'accept-language': language }, skipsDocumentCheck: true }),
    post: (path, fields, headers = {}) =>
      send('POST', path, undefined, {
        raw: new URLSearchParams(fields).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'en', origin, ...headers },
        skipsDocumentCheck: true,
      }),
  }
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
const unescape = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)

/** Reads the text of a page as people see it, in one line. */
export const readText = ({ text }: Pick<Answer, 'text'>): string =>
  unescape(
    text
      .replace(/<head>.*?<\/head>/s, ' ')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' '),
  )

/** Lists where the links of a page lead. */
export const listLinks = ({ text }: Pick<Answer, 'text'>): string[] =>
  [...text.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, address = '']) => unescape(address))

const getAttribute = (tag: string, name: string): string | undefined => {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? []
  return value === undefined ? undefined : unescape(value)
}

/** Reads the fields of the form of a page that goes to an address, as a browser would send them. */
export function readForm({ text }: Pick<Answer, 'text'>, action: string): Record<string, string> {
  const form = text
    .split('<form')
    .slice(1)
    .map((part) => part.split('</form>')[0] ?? '')
    .find((part) => getAttribute(part.split('>')[0] ?? '', 'action') === action)
  if (form === undefined) throw new Error(`There is no form for ${action}`)
  const fields: Record<string, string> = {}
  for (const [tag] of form.matchAll(/<input[^>]*>/g)) {
    const name = getAttribute(tag, 'name')
    if (name === undefined || (/type="checkbox"/.test(tag) && !/ checked/.test(tag))) continue
    fields[name] = getAttribute(tag, 'value') ?? ''
  }
  for (const [, tag = '', content = ''] of form.matchAll(/<textarea([^>]*)>\n?(.*?)<\/textarea>/gs))
    fields[getAttribute(tag, 'name') ?? ''] = unescape(content)
  for (const [, tag = '', options = ''] of form.matchAll(/<select([^>]*)>(.*?)<\/select>/gs)) {
    const chosen = /<option value="([^"]*)" selected/.exec(options)?.[1] ?? /<option value="([^"]*)"/.exec(options)?.[1]
    fields[getAttribute(tag, 'name') ?? ''] = unescape(chosen ?? '')
  }
  return fields
}

/** Waits for the job to whose page an answer leads. @returns the address of the page */
export async function followJob({ cookie }: Visitor, answer: Answer): Promise<string> {
  const page = String(answer.headers['location'])
  const job = page.split('/').at(-1)
  await getOwnClient(cookie).get(`/v1/jobs/${job}/sse`, undefined, { accept: 'text/event-stream' })
  return page
}
