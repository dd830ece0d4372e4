import type { SiteWords } from '../words.types.ts'
import { region } from './numerals.ts'

export const site: SiteWords = {
  name: 'Français',
  region,
  skip: 'Aller au contenu',
  language: 'Langue',
  inLanguage: (language) => `En ${language}`,
  help: 'Aide',
  front: {
    head: 'Des passeports pour vos produits',
    text: 'Tessera donne à chaque produit un passeport que chacun peut scanner et vérifier, et à chaque client des points pour sa fidélité.',
    enter: 'Se connecter ou s’inscrire',
    enterText: 'Avec votre adresse e-mail et un code. Il n’y a pas de mot de passe.',
    developersHead: 'Pour les développeurs',
    reference: 'Référence de l’API',
    buyersHead: 'Vous avez acheté quelque chose\u00a0?',
    buyersText: 'Scannez le code qui s’y trouve. Son passeport s’ouvre et dit comment le revendiquer.',
  },
  callback: {
    title: 'Vous n’êtes pas connecté',
    failures: {
      ended:
        'Cette connexion a déjà servi, a expiré ou a été commencée dans un autre navigateur. Veuillez recommencer.',
      refused: 'La réponse reçue ne prouve pas qui vous êtes. Veuillez recommencer.',
      unproven:
        'Votre adresse e-mail n’y est pas encore confirmée. Confirmez-la d’abord, ou connectez-vous d’une autre façon.',
      unavailable: 'Le service choisi pour la connexion ne répond pas. Réessayez plus tard, ou d’une autre façon.',
      notEnabled: 'Cette façon de se connecter n’est plus proposée ici. Veuillez en choisir une autre.',
    },
    again: 'Retour à la connexion',
  },
  problems: {
    pages: {
      400: { heading: 'Demande incorrecte', message: 'Cette adresse n’est pas complète, ou contient une erreur.' },
      401: { heading: 'Non connecté', message: 'Connectez-vous, puis réessayez.' },
      403: { heading: 'Accès refusé', message: 'Vous ne pouvez pas faire cela ici.' },
      404: { heading: 'Introuvable', message: 'Il n’y a rien à cette adresse, ou vous ne pouvez pas le voir.' },
      406: { heading: 'Format non disponible', message: 'Cette page n’existe pas dans le format demandé.' },
      408: { heading: 'Trop lent', message: 'La demande n’est pas arrivée en entier à temps. Réessayez.' },
      409: { heading: 'Impossible en ce moment', message: 'Rechargez la page, puis réessayez.' },
      413: { heading: 'Trop volumineux', message: 'Ce qui a été envoyé est trop volumineux.' },
      415: { heading: 'Format non pris en charge', message: 'Ce qui a été envoyé ne peut pas être lu ici.' },
      422: { heading: 'Données non valables', message: 'Vérifiez ce que vous avez saisi, puis réessayez.' },
      429: { heading: 'Trop de demandes', message: 'Attendez un moment, puis réessayez.' },
      500: { heading: 'Erreur de notre côté', message: 'Quelque chose a échoué de notre côté. Réessayez plus tard.' },
      503: {
        heading: 'Service indisponible',
        message: 'Une partie du service ne répond pas. Réessayez dans un instant.',
      },
    },
    product: {
      heading: 'Nous ne connaissons pas ce produit',
      message:
        'L’adresse est peut-être incomplète, ou son passeport n’est pas publié. Scannez de nouveau le code du produit\u00a0; si cette page revient, demandez à la marque ou au magasin.',
    },
    ways: {
      start: 'Aller à la page d’accueil',
      console: 'Aller à la console',
      reference: 'Ouvrir la référence de l’API',
      again: 'Réessayer',
    },
    request: 'Demande',
  },
  code: {
    subject: (code, sender) => `${code} est votre code pour ${sender}`,
    mail: (code, sender, minutes) => [
      { code, sentence: `${code} est votre code de connexion pour ${sender}.` },
      `Il est valable une seule fois, pendant ${minutes} minutes. `
        + 'Si vous ne l’avez pas demandé, ignorez ce message\u00a0: rien ne se passe sans le code.',
    ],
    text: (code, sender, minutes) =>
      `${code} est votre code de connexion pour ${sender}. Valable une fois, ${minutes} minutes.`,
  },
}
