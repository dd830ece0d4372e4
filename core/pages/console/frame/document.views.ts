import type { DidDocumentWarning } from '../../../features/certification/index.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderInstant } from './lists.views.ts'

type Kind = DidDocumentWarning['kind']

/** What the notice says. */
interface NoticeWords {
  headings: Readonly<Record<Kind, string>>
  /** What stands between the address of the document and the time, and after the time. */
  sentences: Readonly<Record<Kind, readonly [before: string, after: string]>>
  advice: string
}

const noticeWords: Readonly<Record<ConsoleLanguage, NoticeWords>> = {
  en: {
    headings: {
      missing: 'Your DID document is missing',
      awaited: 'Nothing is signed until your DID document has the new key',
    },
    sentences: {
      missing: [
        'has not been as verifiers need it since',
        'so others cannot verify your certificates. Signing goes on under the same identifier.',
      ],
      awaited: [
        'does not have the key that took the place of a revoked one. Certificates have waited for it since',
        'and are signed once it has.',
      ],
    },
    advice: 'Publish the document that the did:web configuration shows.',
  },
  fr: {
    headings: {
      missing: 'Votre document DID manque',
      awaited: 'Rien n’est signé tant que votre document DID n’a pas la nouvelle clé',
    },
    sentences: {
      missing: [
        'n’est pas tel que les vérificateurs en ont besoin depuis le',
        'si bien que personne ne peut vérifier vos certificats. La signature continue sous le même identifiant.',
      ],
      awaited: [
        'n’a pas la clé qui a pris la place d’une clé révoquée. Les certificats l’attendent depuis le',
        'et seront signés dès qu’il l’aura.',
      ],
    },
    advice: 'Publiez le document que montre la configuration did:web.',
  },
}

/**
 * Renders for members what is wrong with the DID document of their organization and what to do; false if nothing is
 * wrong.
 */
export function renderDocumentNotice(
  fault: DidDocumentWarning | null | undefined,
  language: ConsoleLanguage,
): Markup | false {
  if (!fault) return false
  const { kind, domain, since } = fault
  const { headings, sentences, advice } = noticeWords[language]
  const [before, after] = sentences[kind]
  return html`<div class="notice" role="alert">
<p><span aria-hidden="true">⚠ </span><strong>${headings[kind]}</strong></p>
<p><code>https://${domain}/.well-known/did.json</code> ${before} ${renderInstant(since.toISOString())}, ${after} <a href="/console/certification/domain">${advice}</a></p>
</div>`
}
