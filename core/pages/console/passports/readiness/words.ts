import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'

/** The texts of the page about the readiness of many passports. */
export interface ReadinessWords {
  title: string
  intro: string
  severity: string
  severities: Readonly<Record<'error' | 'warning' | 'info', string>>
  severityChoices: Readonly<Record<'error' | 'warning' | 'info', string>>
  total: string
  ready: string
  notReady: string
  rules: string
  rule: string
  passports: string
  remedy: string
  seeRule: string
  passportsOf: (rule: string) => string
  breaks: (shown: string, all: string) => string
  paths: string
  example: string
  exampleUse: string
  allRules: string
  noneBreaks: string
  nothingFound: string
  emptyHead: string
  emptyText: string
  part: (count: string) => string
}

const english: ReadinessWords = {
  title: 'Readiness of passports',
  intro:
    'Which rules of UNTP, GS1 and the EU the passports break, and what to do about it. An error keeps a passport from being ready.',
  severity: 'Findings',
  severities: { error: 'Error', warning: 'Warning', info: 'Note' },
  severityChoices: { error: 'Only errors', warning: 'Errors and warnings', info: 'All, notes too' },
  total: 'Passports',
  ready: 'Ready',
  notReady: 'With errors',
  rules: 'Rules that passports break',
  rule: 'Rule',
  passports: 'Passports',
  remedy: 'What to do',
  seeRule: 'See passports and remedy',
  passportsOf: (rule) => `Passports that break ${rule}`,
  breaks: (shown, all) => (shown === all ? `All ${all} passports.` : `The first ${shown} of ${all} passports.`),
  paths: 'Where, the most frequent first',
  example: 'Example',
  exampleUse: 'Made up: never use it as it is.',
  allRules: 'All rules',
  noneBreaks: 'No passport breaks this rule.',
  nothingFound: 'Nothing was found: these passports keep all rules.',
  emptyHead: 'No passport to judge',
  emptyText: 'No passport fits, or there is none yet.',
  part: (count) => `More passports fit than one page judges. Everything here is of these ${count}.`,
}

const french: ReadinessWords = {
  title: 'Préparation des passeports',
  intro:
    'Quelles règles de l’UNTP, de GS1 et de l’UE les passeports enfreignent, et que faire. Une erreur empêche un passeport d’être prêt.',
  severity: 'Constats',
  severities: { error: 'Erreur', warning: 'Avertissement', info: 'Remarque' },
  severityChoices: {
    error: 'Erreurs seulement',
    warning: 'Erreurs et avertissements',
    info: 'Tous, remarques comprises',
  },
  total: 'Passeports',
  ready: 'Prêts',
  notReady: 'Avec des erreurs',
  rules: 'Règles que des passeports enfreignent',
  rule: 'Règle',
  passports: 'Passeports',
  remedy: 'Que faire',
  seeRule: 'Voir les passeports et le remède',
  passportsOf: (rule) => `Passeports qui enfreignent ${rule}`,
  breaks: (shown, all) => (shown === all ? `Les ${all} passeports.` : `Les ${shown} premiers de ${all} passeports.`),
  paths: 'Où, le plus fréquent en premier',
  example: 'Exemple',
  exampleUse: 'Inventé : ne l’utilisez jamais tel quel.',
  allRules: 'Toutes les règles',
  noneBreaks: 'Aucun passeport n’enfreint cette règle.',
  nothingFound: 'Rien à signaler : ces passeports respectent toutes les règles.',
  emptyHead: 'Aucun passeport à juger',
  emptyText: 'Aucun passeport ne correspond, ou il n’y en a pas encore.',
  part: (count) =>
    `Plus de passeports correspondent qu’une page n’en examine. Tout ce qui suit ne porte que sur ces ${count}.`,
}

/** The texts in each language. */
export const readinessWords: Record<ConsoleLanguage, ReadinessWords> = { en: english, fr: french }
