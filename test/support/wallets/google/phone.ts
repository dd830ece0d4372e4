import { createApiClient, type Answer } from '../../client.ts'
import { readSaveLink, type CallbackMessage, type GoogleStandIn } from './google.ts'
import type { CallbackOptions } from './signer.ts'

/** A phone with a Google account. What its person does is reported to the address that the class names. */
export interface Phone {
  /** Saves the card of a link. @returns its identifier */
  save(link: string): Promise<string>
  delete(object: string): Promise<Answer>
  /** Sends a report that Google has signed, or one that has a flaw. */
  report(message: CallbackMessage, options?: CallbackOptions): Promise<Answer>
}

/** @param api where the reports go: the host of a class's address is nobody's in tests, its path counts */
export function createPhone(google: GoogleStandIn, api: string): Phone {
  const client = createApiClient({}, api)
  const report: Phone['report'] = (message, options) => {
    const cardClass = google.classes.get(message.classId)
    const { url } = (cardClass?.['callbackOptions'] ?? {}) as { url?: string }
    if (url === undefined) throw new Error(`The class ${message.classId} has no address for callbacks.`)
    return client.send('POST', new URL(url).pathname, undefined, {
      raw: google.sign(message, options),
      headers: { 'content-type': 'application/json' },
    })
  }
  const setUsers = (object: string, hasUsers: boolean) => {
    const found = google.objects.get(object)
    if (!found) throw new Error(`There is no card ${object}.`)
    found.hasUsers = hasUsers
  }
  return {
    report,
    async save(link) {
      const { id } = readSaveLink(google, link)
      setUsers(id, true)
      const answer = await report(google.createMessage(id, 'save'))
      if (answer.status !== 200) throw new Error(`The report was refused: ${answer.status} ${answer.text}`)
      return id
    },
    delete(object) {
      setUsers(object, false)
      return report(google.createMessage(object, 'del'))
    },
  }
}
