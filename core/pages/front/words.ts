import type { Language } from '../../kernel/text/languages.ts'

/** The texts of the page at the address of the platform itself. */
interface FrontWords {
  head: string
  text: string
  enter: string
  enterText: string
  developersHead: string
  reference: string
  buyersHead: string
  buyersText: string
}

const english: FrontWords = {
  head: 'Passports for your products',
  text: 'Tessera gives each product a passport that everybody can scan and check, and each customer points for coming back.',
  enter: 'Sign in or sign up',
  enterText: 'With your e-mail address and a code. There is no password.',
  developersHead: 'For developers',
  reference: 'API reference',
  buyersHead: 'Have you bought something?',
  buyersText: 'Scan the code on it. Its passport opens, and says how to claim it.',
}

const french: FrontWords = {
  head: 'Des passeports pour vos produits',
  text: 'Tessera donne à chaque produit un passeport que chacun peut scanner et vérifier, et à chaque client des points pour sa fidélité.',
  enter: 'Se connecter ou s’inscrire',
  enterText: 'Avec votre adresse e-mail et un code. Il n’y a pas de mot de passe.',
  developersHead: 'Pour les développeurs',
  reference: 'Référence de l’API',
  buyersHead: 'Vous avez acheté quelque chose\u00a0?',
  buyersText: 'Scannez le code qui s’y trouve. Son passeport s’ouvre et dit comment le réclamer.',
}

/** The texts in each language. */
export const frontWords: Readonly<Record<Language, FrontWords>> = { en: english, fr: french }
