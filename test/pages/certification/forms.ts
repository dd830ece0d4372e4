import { createApiClient, type Answer } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'

/** Pages and forms of the console, asked for with a member's cookie as a browser would. */
export interface Visitor {
  /** Opens a page. @param language what the browser prefers */
  open(path: string, language?: string): Promise<Answer>
  /** Sends a form. @param origin the page that it comes from; one of ours by default */
  submit(path: string, fields?: Record<string, string>, origin?: string): Promise<Answer>
}

/** Creates the requests of a browser that has this cookie. @param base the address of the platform */
export function createVisitor(cookie: string, base = platform.api): Visitor {
  const client = createApiClient({ cookie }, base)
  return {
    open: (path, language = 'en') => client.get(path, { headers: { 'accept-language': language } }),
    submit: (path, fields = {}, origin = new URL(base).origin) =>
      client.post(path, undefined, {
        raw: new URLSearchParams(fields).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
      }),
  }
}

/** Returns the text of the page without its marks, blanks joined. */
export const readText = ({ text }: Answer): string =>
  text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
