import type { Language } from '../kernel/languages.ts'

/** What a page says of a refusal: a heading, and a sentence where the answer's own, which is English, is left out. */
export interface ProblemWords { head: string; told?: string }

const french: Record<number, ProblemWords> = {
  400: { head: 'Demande incorrecte' },
  401: { head: 'Non connecté', told: 'Connectez-vous, puis réessayez.' },
  403: { head: 'Accès refusé', told: 'Vous ne pouvez pas faire cela ici.' },
  404: { head: 'Introuvable', told: 'Il n’y a rien à cette adresse, ou vous ne pouvez pas le voir.' },
  406: { head: 'Format non disponible' },
  408: { head: 'Trop lent', told: 'La demande n’est pas arrivée en entier à temps. Réessayez.' },
  409: { head: 'Impossible en ce moment' },
  413: { head: 'Trop volumineux', told: 'Ce qui a été envoyé est trop volumineux.' },
  415: { head: 'Format non pris en charge' },
  422: { head: 'Données non valables' },
  429: { head: 'Trop de demandes', told: 'Attendez un moment, puis réessayez.' },
  500: { head: 'Erreur de notre côté', told: 'Quelque chose a échoué de notre côté. Réessayez plus tard.' },
  503: { head: 'Service indisponible', told: 'Une partie du service ne répond pas. Réessayez dans un instant.' },
}

/** The words of a language for a status; null where the problem's own stand, which are English. */
export function problemWords(status: number, language: Language): ProblemWords | null {
  if (language === 'en') return null
  return french[status] ?? french[status < 500 ? 400 : 500] ?? null
}

/** Stands before the identifier of a request. */
export const requestWord: Record<Language, string> = { en: 'Request', fr: 'Demande' }
