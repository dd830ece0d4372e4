import type { NoticeWords, ResolverWords } from '../words.types.ts'

export const notices: NoticeWords = {
  unregistered: {
    serial: 'Ce numéro de série n’est pas enregistré par le fabricant',
    batch: 'Ce numéro de lot n’est pas enregistré par le fabricant',
    text: (numbers) =>
      `Le code que vous avez scanné indique ${numbers}, que le fabricant n’a pas enregistré\u00a0: l’article n’est peut-être pas authentique. `
      + 'Ce qui suit décrit le produit en général, et non l’article que vous avez en main.',
    numbers: { serial: (number) => `le numéro de série ${number}`, batch: (number) => `le numéro de lot ${number}` },
    and: ' et ',
  },
  withdrawn: {
    own: {
      revocation: {
        head: 'Révoqué par le fabricant',
        text: 'Le fabricant a révoqué ce passeport\u00a0: il ne peut pas être revendiqué.',
      },
      suspension: {
        head: 'Suspendu par le fabricant',
        text: 'Le fabricant a suspendu ce passeport\u00a0: il ne peut pas être revendiqué en ce moment.',
      },
    },
    batch: {
      revocation: {
        head: 'Son lot est révoqué',
        text: 'Le fabricant a révoqué le lot de cet article. Ne vous fiez pas à cet article.',
      },
      suspension: {
        head: 'Son lot est suspendu',
        text: 'Le fabricant a suspendu le lot de cet article. Tant que cela dure, ne vous fiez pas à cet article.',
      },
    },
    model: {
      revocation: {
        head: 'Son modèle est révoqué',
        text: 'Le fabricant a révoqué le modèle de ce produit. Ne vous y fiez pas.',
      },
      suspension: {
        head: 'Son modèle est suspendu',
        text: 'Le fabricant a suspendu le modèle de ce produit. Tant que cela dure, ne vous y fiez pas.',
      },
    },
  },
  archived: 'Ce passeport est archivé\u00a0: il n’est plus proposé à la revendication.',
  see: { batch: 'Voir le lot', model: 'Voir le modèle' },
  publisher: {
    byDomain: (domain) => `Publié par ${domain}`,
    byGtin: (name, gtin) => `Publié par ${name}, confirmé pour le numéro de produit ${gtin}`,
    byName: (name) => `Signé par ${name}, non confirmé`,
  },
  contested: {
    head: 'À qui est ce produit\u00a0?',
    text: (gtin) =>
      `Plusieurs organisations publient le numéro de produit ${gtin}, et rien n’a encore été décidé. Regardez qui est confirmé avant de choisir.`,
    nothing: 'Ne publie rien sous ce numéro en ce moment.',
  },
}

export const resolver: ResolverWords = {
  linksOf: (name) => `${name}\u00a0: liens`,
  product: 'Produit',
  which: 'Lequel est-ce\u00a0?',
  choose: 'Plusieurs produits portent ce numéro. Choisissez celui que vous avez en main.',
  unknown: { head: 'Rien n’est connu de ce produit', text: 'Aucun passeport portant ces numéros n’est publié ici.' },
  wrong: 'Ce n’est pas l’adresse d’un produit',
  refusals: {
    gtin: 'Le GTIN n’est pas correct\u00a0: il a 8, 12, 13 ou 14 chiffres, dont le dernier contrôle les autres.',
    variant: 'La variante (22) comporte 1 à 20 lettres, chiffres ou signes du jeu de caractères GS1.',
    batch: 'Le numéro de lot (10) comporte 1 à 20 lettres, chiffres ou signes du jeu de caractères GS1.',
    serial: 'Le numéro de série (21) comporte 1 à 20 lettres, chiffres ou signes du jeu de caractères GS1.',
    linkType: 'Ce produit n’a pas de lien de ce type.',
    path: 'Après le GTIN viennent 22 (variante), 10 (lot) et 21 (numéro de série), dans cet ordre.',
  },
}
