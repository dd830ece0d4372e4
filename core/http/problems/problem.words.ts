import type { Language } from '../../kernel/text/languages.ts'

/** The text of a problem page. Without `message` the page shows the problem's own detail, which is English. */
export interface ProblemWords {
  heading: string
  message?: string
}

const frenchWords: Record<number, ProblemWords> = {
  400: { heading: 'Demande incorrecte' },
  401: { heading: 'Non connecté', message: 'Connectez-vous, puis réessayez.' },
  403: { heading: 'Accès refusé', message: 'Vous ne pouvez pas faire cela ici.' },
  404: { heading: 'Introuvable', message: 'Il n’y a rien à cette adresse, ou vous ne pouvez pas le voir.' },
  406: { heading: 'Format non disponible' },
  408: { heading: 'Trop lent', message: 'La demande n’est pas arrivée en entier à temps. Réessayez.' },
  409: { heading: 'Impossible en ce moment' },
  413: { heading: 'Trop volumineux', message: 'Ce qui a été envoyé est trop volumineux.' },
  415: { heading: 'Format non pris en charge' },
  422: { heading: 'Données non valables' },
  429: { heading: 'Trop de demandes', message: 'Attendez un moment, puis réessayez.' },
  500: { heading: 'Erreur de notre côté', message: 'Quelque chose a échoué de notre côté. Réessayez plus tard.' },
  503: { heading: 'Service indisponible', message: 'Une partie du service ne répond pas. Réessayez dans un instant.' },
}

/** Finds the words of a language for a status, or returns null if the problem's own English words are used. */
export function findProblemWords(status: number, language: Language): ProblemWords | null {
  if (language === 'en') return null
  return frenchWords[status] ?? frenchWords[status < 500 ? 400 : 500] ?? null
}

/** Label before the identifier of a request. */
export const requestLabels: Record<Language, string> = { en: 'Request', fr: 'Demande' }
