import type { ReportKind } from '../../features/dpp/index.ts'
import type { Language } from '../../kernel/text/languages.ts'

/** The texts of the page where anybody reports something about a passport. */
export interface ReportWords {
  title: (name: string) => string
  head: string
  intro: (organization: string) => string
  kind: string
  kinds: Record<ReportKind, string>
  text: string
  textUse: string
  email: string
  emailUse: (organization: string) => string
  button: string
  /** What is wrong with a field, by its name. */
  wrong: Readonly<Record<string, string>>
  tooMany: string
  sent: { head: string; text: (organization: string) => string }
  back: string
}

const english: ReportWords = {
  title: (name) => `Report: ${name}`,
  head: 'Report something about this product',
  intro: (organization) => `What you write goes to ${organization}, who published this passport, and to nobody else.`,
  kind: 'What is it?',
  kinds: {
    fake: 'The product may be fake',
    stolen: 'It is stolen',
    defect: 'It has a defect or is dangerous',
    other: 'Something else',
  },
  text: 'What did you see?',
  textUse: 'Where and when, and what does not fit. At most 2,000 characters.',
  email: 'Your e-mail address, if they may ask you further',
  emailUse: (organization) => `${organization} sees it with your report. Leave it empty to stay unknown.`,
  button: 'Send the report',
  wrong: {
    kind: 'Choose what it is.',
    text: 'Write what you saw, in at most 2,000 characters.',
    email: 'This is no e-mail address. Correct it, or leave it empty.',
  },
  tooMany: 'Too many reports have come in a short time. Please try again later.',
  sent: {
    head: 'Thank you',
    text: (organization) => `Your report has reached ${organization}. You will get no answer from us.`,
  },
  back: 'Back to the passport',
}

const french: ReportWords = {
  title: (name) => `Signaler : ${name}`,
  head: 'Signaler quelque chose sur ce produit',
  intro: (organization) =>
    `Ce que vous écrivez est transmis à ${organization}, qui a publié ce passeport, et à personne d’autre.`,
  kind: 'De quoi s’agit-il\u00a0?',
  kinds: {
    fake: 'Le produit est peut-être une contrefaçon',
    stolen: 'Il a été volé',
    defect: 'Il a un défaut ou il est dangereux',
    other: 'Autre chose',
  },
  text: 'Qu’avez-vous constaté\u00a0?',
  textUse: 'Où, quand, et ce qui ne va pas. 2\u202f000 caractères au plus.',
  email: 'Votre adresse e-mail, si l’on peut vous poser des questions',
  emailUse: (organization) => `${organization} la voit avec votre signalement. Laissez vide pour rester anonyme.`,
  button: 'Envoyer le signalement',
  wrong: {
    kind: 'Choisissez de quoi il s’agit.',
    text: 'Écrivez ce que vous avez constaté, en 2\u202f000 caractères au plus.',
    email: 'Ce n’est pas une adresse e-mail. Corrigez-la, ou laissez le champ vide.',
  },
  tooMany: 'Trop de signalements sont arrivés en peu de temps. Réessayez plus tard.',
  sent: {
    head: 'Merci',
    text: (organization) =>
      `Votre signalement est parvenu à ${organization}. Vous ne recevrez pas de réponse de notre part.`,
  },
  back: 'Retour au passeport',
}

/** The texts of the page in each language. */
export const reportWords: Record<Language, ReportWords> = { en: english, fr: french }
