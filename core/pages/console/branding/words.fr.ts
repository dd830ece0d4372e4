import type { BrandingWords, ExampleWords } from './words.types.ts'

export const french: BrandingWords = {
  title: 'Image de marque',
  titleOf: (application) => `Image de marque de ${application}`,
  intro:
    'L’apparence des pages pour ses clients\u00a0: celle qui revendique, celle d’un passeport et celle d’un client.',
  listIntro: 'Chaque application a sa propre apparence. Choisissez celle que vous voulez voir.',
  count: (count) => `${count} applications`,
  application: 'Application',
  looks: 'Apparence',
  colours: 'Couleurs',
  none: 'les nôtres',
  fields: {
    title: 'Titre',
    logoUrl: 'Adresse du logo',
    mode: 'Clair ou sombre',
    primaryColor: 'Couleur des boutons et des liens',
    secondaryColor: 'Couleur des accents',
    bgImageUrl: 'Adresse d’une image derrière les pages',
    googleFont: 'Police',
  },
  hints: {
    title: 'À la place du nom de l’application.',
    logoUrl: 'Une adresse qui commence par https://. Il s’affiche en haut, en 192 sur 64 pixels au plus.',
    primaryColor:
      'Par exemple #0a7d54. Là où un texte de cette couleur serait illisible, les pages montrent une nuance plus foncée ou plus claire.',
    secondaryColor:
      'Par exemple #e8b400. C’est celle d’un trait au-dessus des points d’un client\u00a0; aucun texte n’est écrit avec.',
    bgImageUrl: 'Une adresse qui commence par https://.',
    googleFont: 'Le nom d’une famille de Google Fonts, par exemple Inter.',
  },
  modes: { system: 'Comme l’appareil du lecteur', light: 'Toujours clair', dark: 'Toujours sombre' },
  pick: (field) => `Choisir\u00a0: ${field}`,
  others: 'Pour vos propres pages et applications',
  othersText:
    'Ces deux valeurs sont données aux programmes qui lisent l’application. Les pages de Tessera ne chargent pas de polices d’ailleurs et ne mettent pas d’image derrière leur texte\u00a0: vous n’en voyez rien ici.',
  notSet: 'non défini',
  preview: 'Aperçu',
  saved: 'Vos modifications sont enregistrées.',
  isDraft: 'Ceci est un aperçu. Rien n’est enregistré avant que vous n’enregistriez.',
  storedHead: 'Ce qui est enregistré maintenant, là où cela diffère',
  contrast: 'Contraste',
  contrastText: 'Un texte a besoin d’un contraste de 4,5 pour 1 avec la page derrière lui (WCAG 2.2, niveau AA).',
  colour: 'Couleur',
  on: 'Page derrière elle',
  ratio: 'Contraste',
  verdict: 'Suffit pour un texte\u00a0?',
  schemes: { light: 'claire', dark: 'sombre' },
  ratioOf: (ratio) => `${ratio}\u00a0: 1`,
  enough: 'Suffisant',
  notEnough: (shade) => `Insuffisant. Nos pages montrent ${shade} à la place.`,
  notEnoughForText:
    'Insuffisant pour un texte. Nos pages n’écrivent rien avec\u00a0; n’écrivez rien avec sur les vôtres.',
  previews: 'Aperçus',
  previewsText:
    'Les vraies pages avec un contenu inventé, larges comme un téléphone. Leurs liens et leurs boutons ne font rien. Un nom au-dessus mène à la page seule.',
  previewNames: { claim: 'Revendiquer un passeport', passport: 'Un passeport', me: 'Ce qu’un client possède' },
  optIn: 'Formulaires de consentement signés',
  optInText:
    'Un formulaire signé par un client est gardé sous une adresse que ses octets lui donnent\u00a0: le même fichier a la même adresse. Écrivez cette adresse dans la valeur «\u00a0opt_in_form\u00a0» d’un passeport. Quiconque a l’adresse peut demander le fichier\u00a0: il ne devrait contenir aucun secret.',
  file: 'Le formulaire',
  fileHint: 'PNG, JPEG, WebP ou PDF, 5 Mio au plus.',
  upload: 'Envoyer le formulaire',
  kept: 'Le formulaire est gardé.',
  address: 'Son adresse',
  size: (bytes) => `${bytes} octets`,
  toSettings: 'Nom, domaines et autres paramètres',
  codes: {
    PRECONDITION_FAILED:
      'Quelqu’un a modifié l’apparence depuis l’ouverture de ce formulaire. Ce que vous avez écrit est encore là\u00a0: comparez, puis enregistrez à nouveau.',
  },
  issues: {
    missing_file: 'manque\u00a0: choisissez un fichier',
    file_type: 'est d’un autre type\u00a0: prenez un fichier PNG, JPEG, WebP ou PDF',
    content_type: 'n’est pas ce que dit son nom\u00a0: ses premiers octets sont ceux d’un autre type',
    too_large: 'dépasse 5 Mio',
    not_a_file_name: 'a un nom qui n’est pas un simple nom de fichier',
  },
}

export const frenchExamples: ExampleWords = {
  product: 'Sac de week-end',
  values: [
    ['Matière', 'Coton ciré'],
    ['Fabriqué au', 'Portugal'],
    ['Numéro de série', 'WB-000123'],
  ],
  email: 'ada@example.com',
  tier: 'Argent',
  nextTier: 'Or',
}
