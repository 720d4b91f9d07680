"""What headers and keys in other languages mean: ``Einwohner`` is *population*, ``责任人`` who is responsible.

Used by ``key_word``, so wherever a header or a key is read; data and pure functions. A key in another language says what
its English word says, from the kind of the rows to the type of a fact. A key that is not here keeps its own name.
"""

# A row of the table is read as a whole.
# ruff: noqa: E501

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_LANGUAGES = ("de", "fr", "es", "it", "pt", "ru", "zh", "ja", "ko", "nl", "pl")
_TABLE = """
name        | | nom | nombre | nome | nome | имя название наименование | 名称 名稱 名字 | 名前 名称 | 이름 명칭 | naam | nazwa
full_name   | | | | | | фио | 姓名 | 氏名 | 성명
title       | titel | titre | título | titolo | título | заголовок | 标题 標題 | タイトル 題名 | 제목 | | tytuł
first_name  | vorname | prénom | | | | | 名 | 名 | | voornaam | imię
last_name   | nachname familienname | nom_de_famille | apellido apellidos | cognome | sobrenome apelido | фамилия | 姓 | 姓 | 성 | achternaam | nazwisko
type        | typ | | tipo | tipo | tipo | тип вид | 类型 類型 种类 種類 | 種類 種別 | 종류 유형
category    | kategorie | catégorie | categoría | categoria | categoria | категория | 类别 分类 類別 | カテゴリ カテゴリー 分類 | 카테고리 분류 | categorie | kategoria
number      | nummer | numéro | número | numero | número | номер | 编号 序号 編號 | 番号 | 번호
description | beschreibung | | descripción | descrizione | descrição | описание | 描述 说明 說明 简介 | 説明 概要 | 설명 개요 | beschrijving omschrijving | opis
notes       | anmerkung anmerkungen bemerkung bemerkungen notiz notizen hinweis hinweise | remarque remarques | notas observaciones | osservazioni | notas observações | примечание примечания заметки комментарий | 备注 備註 | 備考 | 비고 메모
tags        | schlagwörter schlagworte stichwörter | mots_clés étiquettes | etiquetas palabras_clave | etichette parole_chiave | palavras_chave | теги метки ключевые_слова | 标签 標籤 关键词 | タグ キーワード | 태그 키워드
aliases     | | | | | | | 别名 | 別名 | 별칭
source      | quelle quellen | | fuente fuentes | fonte fonti | fonte fontes | источник источники | 来源 來源 | 出典 情報源 | 출처
created     | erstellt erstellt_am | créé_le | creado | creato | criado | создано | 创建时间 创建日期 | 作成日 | 작성일
updated     | aktualisiert geändert | mis_à_jour modifié | actualizado | aggiornato | atualizado | обновлено изменено | 更新时间 更新日期 | 更新日 | 수정일
date        | datum | | fecha | | | дата | 日期 | 日付 | 날짜 일자
year        | jahr | année | año | anno | ano | год | 年份 年 | 年 年度 | 연도 년도
start_date  | beginn startdatum | date_de_début | fecha_de_inicio | data_di_inizio | data_de_início | дата_начала | 开始日期 | 開始日 | 시작일
end_date    | enddatum | date_de_fin | fecha_de_fin | data_di_fine | data_de_fim | дата_окончания | 结束日期 | 終了日 | 종료일
due_date    | frist fällig fälligkeit | échéance | fecha_límite vencimiento | scadenza | prazo | срок | 截止日期 | 期限 締切 | 마감일 기한
status      | | statut | | | | статус состояние | 状态 狀態 | 状態 ステータス | 상태
language    | sprache | langue | idioma | | idioma | язык | 语言 語言 | 言語 | 언어

author      | autor autorin autoren verfasser verfasserin | auteur auteurs autrice | autor autora autores | autore autrice autori | autor autora autores | автор авторы | 作者 著者 | 著者 作者 筆者 | 저자 작성자 글쓴이 | schrijver | autorzy
editor      | herausgeber herausgeberin | | | | | редактор | 编辑 編輯 | 編集者 | 편집자 | redacteur | redaktor
publisher   | verlag | éditeur maison_d_édition | | editore casa_editrice | editora | издательство | 出版社 | 出版社 | 출판사 | uitgever | wydawca
translator  | übersetzer übersetzerin | traducteur traductrice | traductor traductora | traduttore | tradutor | переводчик | 译者 譯者 | 翻訳者 訳者 | 번역자
directed_by | regie regisseur regisseurin | réalisateur réalisatrice | | regista regia | realizador | режиссёр | 导演 導演 | | 감독
architect   | architekt architektin architekten | architecte architectes | arquitecto arquitecta | architetto | arquiteto arquiteta | архитектор | 建筑师 建築師 | 建築家 設計者 | 건축가
captain     | kapitän kapitänin | capitaine | capitán capitana | capitano | capitão | капитан | 船长 | 船長 | 선장 | kapitein | kapitan
mayor       | bürgermeister bürgermeisterin oberbürgermeister | maire | alcalde alcaldesa | sindaco sindaca | prefeito prefeita | мэр | 市长 | 市長 | 시장 | burgemeester | burmistrz
composer    | komponist komponistin | compositeur | compositor | compositore | compositor | композитор | 作曲家 | 作曲家 | 작곡가
responsible_person | verantwortlich verantwortliche verantwortlicher zuständig zuständige bearbeiter bearbeiterin sachbearbeiter sachbearbeiterin | responsable responsables | responsable responsables encargado encargada | responsabile responsabili | responsável responsáveis encarregado | ответственный ответственная ответственные | 责任人 负责人 責任人 負責人 | 担当者 担当 責任者 | 담당자 책임자 담당 | verantwoordelijke | odpowiedzialny odpowiedzialna
contact_person | ansprechpartner ansprechpartnerin ansprechperson kontaktperson | interlocuteur | persona_de_contacto | persona_di_contatto referente | pessoa_de_contato | контактное_лицо | 联系人 聯絡人 | 連絡担当者 | 연락담당자 | contactpersoon | osoba_kontaktowa
owner       | eigentümer eigentümerin inhaber inhaberin besitzer besitzerin | propriétaire propriétaires détenteur détentrice | propietario propietaria propietarios dueño dueña | proprietario proprietaria proprietari titolare | proprietário proprietária proprietários dono dona | владелец владелица владельцы собственник | 所有者 业主 拥有者 持有人 | 所有者 オーナー 持ち主 | 소유자 소유주 오너 | eigenaar eigenaars eigenares | właściciel właścicielka właściciele
lead        | leiter leiterin leitung teamleiter teamleiterin projektleiter projektleiterin projektleitung | chef_de_projet chef_d_équipe | líder jefe jefa jefe_de_proyecto | capoprogetto | líder chefe chefe_de_projeto | руководитель глава | 主管 组长 领导 项目经理 | リーダー 代表者 | 팀장 리더 | leider teamleider projectleider | lider kierownik
manager     | vorgesetzter vorgesetzte | supérieur | | | | начальник | 上级 | 上司 | 상사 | leidinggevende | przełożony przełożona
chair       | vorsitz vorsitzender vorsitzende | | presidente presidenta | presidente | presidente | председатель президент | 主席 | 議長 会長 | 의장 위원장 | voorzitter | przewodniczący przewodnicząca
ceo         | geschäftsführer geschäftsführerin geschäftsführung | pdg directeur_général | consejero_delegado | amministratore_delegato | diretor_executivo | генеральный_директор гендиректор | 首席执行官 总经理 总裁 | 社長 代表取締役 | 대표이사
founder     | gründer gründerin | fondateur fondatrice fondateurs | fundador fundadora fundadores | fondatore fondatrice fondatori | fundador fundadora fundadores | основатель основатели | 创始人 创办人 創始人 | 創業者 設立者 創立者 | 창립자 설립자 | oprichter oprichters | założyciel założycielka założyciele
participants | teilnehmer teilnehmende | | participantes asistentes | partecipanti | participantes | участники | 参加者 与会者 参会人员 | 参加者 出席者 | 참석자 참가자 | deelnemers | uczestnicy
organizer   | veranstalter | organisateur | organizador | organizzatore | organizador | организатор | 主办方 主办单位 | 主催者 主催 | 주최자 주최
developer   | entwickler entwicklerin | développeur | desarrollador desarrolladora | sviluppatore | desenvolvedor | разработчик | 开发商 开发者 | 開発元 開発者 | 개발자 개발사 | ontwikkelaar | programista
manufacturer | hersteller | fabricant constructeur | fabricante | produttore costruttore | fabricante | производитель изготовитель | 制造商 生产商 厂商 | メーカー 製造元 | 제조사 제조업체 | fabrikant | producent
supplier    | lieferant zulieferer | fournisseur | proveedor | fornitore | fornecedor | поставщик | 供应商 供應商 | 仕入先 | 공급업체 | leverancier | dostawca
customer    | kunde kundin kunden | | cliente clientes | cliente clienti | cliente clientes | клиент заказчик | 客户 客戶 | 顧客 取引先 | 고객 | klant klanten | klient klienci

person      | personen | personne personnes |  | persone | pessoa pessoas | человек люди | 人物 人员 | 人物 | 인물
employee    | mitarbeiter mitarbeiterin mitarbeitende | employé employés salarié | empleado empleada | dipendente | funcionário funcionária | сотрудник сотрудники работник | 员工 雇员 | 社員 | 직원 사원 | medewerker werknemer | pracownik
employees   | mitarbeiterzahl beschäftigte | effectif effectifs nombre_d_employés | empleados | dipendenti | empregados | число_сотрудников | 员工人数 员工数 | 従業員数 | 직원수
member      | mitglied | membre | miembro | membro | membro | член | 成员 会员 | メンバー 会員 | 회원 구성원 | lid | członek
members     | mitglieder | membres | miembros | membri | membros | члены | | | | leden | członkowie
company     | firma firmen unternehmen | entreprise entreprises société sociétés | empresa empresas compañía | azienda aziende società impresa ditta | companhia | компания компании фирма предприятие | 公司 企业 企業 | 会社 企業 | 회사 기업 | bedrijf bedrijven | przedsiębiorstwo
employer    | arbeitgeber | employeur | empleador | datore_di_lavoro | empregador | работодатель | 雇主 工作单位 | 勤務先 | 고용주 직장 | werkgever | pracodawca
affiliation | | | | | | | 所属 所屬 | 所属 | 소속
organization | | organisme | organización | organizzazione ente | organização | организация организации | 组织 机构 組織 機構 | 組織 団体 機関 | 기관 조직 단체
institution | einrichtung | établissement | institución | istituzione | instituição | учреждение | | |
department  | abteilung abteilungen | département | departamento | dipartimento reparto | departamento | отдел подразделение | 部门 部門 | 部署 部門 | 부서 | afdeling | dział
team        | mannschaft | équipe | equipo | squadra | equipe | команда | 团队 團隊 球队 | チーム | 팀 | | zespół
role        | rolle | | rol puesto | ruolo | | роль должность | 职位 职务 角色 職位 | 役職 役割 | 직책 역할 직위
product     | produkt produkte | produit produits | producto productos | prodotto prodotti | produto produtos | продукт изделие товар | 产品 產品 | 製品 商品 | 제품
project     | projekt projekte vorhaben | projet projets | proyecto proyectos | progetto progetti | projeto projetos | проект проекты | 项目 專案 項目 | プロジェクト | 프로젝트
task        | aufgabe aufgaben tätigkeit | tâche tâches | tarea tareas | compito attività | tarefa tarefas | задача задачи | 任务 任務 | タスク 作業 | 작업 업무

city        | stadt städte gemeinde | ville villes commune communes | ciudad ciudades municipio municipios | città comune comuni | cidade cidades município | город города | 城市 市 | 都市 市 市町村 | 도시 시 | stad gemeente | miasto
location    | ort orte standort | lieu lieux emplacement | lugar ubicación | luogo | localização | место местоположение местонахождение | 地点 地點 位置 所在地 | 場所 所在地 | 위치 장소 소재지 | locatie plaats | lokalizacja miejsce
country     | land länder staat | pays | país países | paese paesi nazione | | страна страны государство | 国家 國家 | 国 国名 | 나라 국가 | | kraj
region      | bundesland kanton | | provincia comunidad_autónoma | regione provincia | região província | регион область край | 地区 地區 省 省份 | 地域 地方 都道府県 県 | 지역 도
headquarters | hauptsitz firmensitz sitz | siège siège_social | sede sede_central | sede sede_legale | sede | штаб_квартира | 总部 總部 | 本社 本部 | 본사 | hoofdkantoor | siedziba
river       | fluss flüsse | fleuve rivière fleuves | río ríos | fiume fiumi | rio | река реки | 河流 | 川 河川 | 강
mountain    | berg berge gipfel | montagne sommet | montaña | montagna | montanha | гора горы | 山 山峰 | 山 | 산
lake        | | lac | lago | lago | lago | озеро озёра | 湖泊 湖 | 湖 | 호수
island      | insel inseln | île îles | isla islas | isola isole | ilha ilhas | остров острова | 岛屿 岛 | 島 | 섬
school      | schule schulen | école écoles | escuela colegio | scuola | escola | школа | 学校 | 学校 | 학교
university  | universität hochschule | université | universidad | università | universidade | университет вуз | 大学 大學 | 大学 | 대학 대학교
hospital    | krankenhaus klinik | hôpital | | ospedale | | больница | 医院 醫院 | 病院 | 병원
book        | buch bücher | livre livres | libro libros | libri | livro livros | книга книги | 书名 书籍 图书 書名 | 書名 書籍 本 | 책 도서
film        | | | película películas | | filme filmes | фильм фильмы | 电影 影片 電影 | 映画 | 영화
song        | lied lieder | chanson chansons | canción canciones | canzone canzoni | canção | песня | 歌曲 | 曲 曲名 | 노래 곡
series      | reihe | série | serie | | | серия сериал | 系列 | シリーズ | 시리즈
event       | veranstaltung veranstaltungen | événement événements | evento eventos | eventi | | событие мероприятие | 活动 事件 | イベント 行事 | 행사
building    | gebäude bauwerk bauwerke | bâtiment bâtiments édifice | edificio edificios | edifici | edifício edifícios | здание здания | 建筑 建筑物 建築 | 建物 建築物 | 건물 | gebouw gebouwen | budynek budynki
castle      | schloss schlösser burg burgen | château châteaux | castillo castillos | castello castelli | castelo castelos | замок замки | 城堡 | | | kasteel | zamek
church      | kirche kirchen | église églises | iglesia iglesias | chiesa chiese | igreja igrejas | церковь церкви | 教堂 | 教会 | 교회 | kerk kerken | kościół
bridge      | brücke brücken | ponts | puente puentes | ponti | ponte pontes | мост мосты | 桥 桥梁 橋樑 | 橋 | 다리 | brug bruggen |
tower       | turm türme | | torre torres | torri | | башня башни | 塔 | 塔 | 탑 | toren torens | wieża
ship        | schiff schiffe | navire navires bateau | barco barcos buque buques | nave navi | navio navios | корабль корабли судно | 船舶 船 | 船 船舶 | 선박 | schip schepen | statek statki
museum      | museen | musée musées | museo museos | musei | museu museus | музей музеи | 博物馆 博物館 | 博物館 | 박물관 | musea | muzeum

population  | einwohner einwohnerzahl bevölkerung | habitants nombre_d_habitants | población habitantes | popolazione abitanti | população habitantes | население численность_населения | 人口 | 人口 | 인구 | inwoners inwonertal | ludność
area        | fläche | superficie | superficie | superficie | área | площадь | 面积 面積 | 面積 | 면적
capital     | hauptstadt | capitale | | capitale | | столица | 首都 | 首都 | 수도 | hoofdstad | stolica
currency    | währung | monnaie | moneda | valuta | moeda | валюта | 货币 | 通貨 | 통화
height      | höhe | hauteur | altura | altezza | altura | высота | 高度 海拔 | 高さ 標高 | 높이
length      | länge | longueur | longitud | lunghezza | comprimento | длина | 长度 長度 | 長さ 全長 | 길이
price       | preis | prix | precio | prezzo | preço | цена | 价格 價格 | 価格 値段 | 가격
budget      | | | presupuesto | | orçamento | бюджет | 预算 | 予算 | 예산
revenue     | umsatz | chiffre_d_affaires | ingresos facturación | fatturato ricavi | receita faturamento | выручка оборот | 营业额 收入 营收 | 売上 売上高 | 매출 매출액
industry    | branche | secteur | | settore | setor | отрасль | 行业 行業 | 業種 | 업종
genre       | | | género | genere | gênero | жанр | 体裁 | ジャンル | 장르
age         | alter | âge | edad | | idade | возраст | 年龄 年齡 | 年齢 | 나이
gender      | geschlecht | sexe | sexo | sesso | sexo | пол | 性别 | 性別 | 성별
salary      | gehalt | salaire | salario | stipendio | salário | зарплата оклад | 工资 薪资 | 給与 | 급여 연봉
nationality | nationalität staatsangehörigkeit | nationalité | nacionalidad | nazionalità | nacionalidade | гражданство национальность | 国籍 | 国籍 | 국적
occupation  | beruf | métier | profesión | professione | profissão | профессия | 职业 職業 | 職業 | 직업
built       | baujahr erbaut errichtet | année_de_construction construit construite | año_de_construcción construido construida | anno_di_costruzione costruito | ano_de_construção construído | год_постройки построен | 建成 建成年份 建造年份 | 竣工 建設年 | 준공 준공년도 | bouwjaar gebouwd | rok_budowy
opened      | eröffnet eröffnung | ouverture date_d_ouverture | inaugurado inauguración | inaugurazione inaugurato | inauguração | открыт открыта | 开放时间 启用 | 開業 開館 | 개관 개장 | geopend | otwarto
capacity    | kapazität fassungsvermögen | capacité | capacidad aforo | capacità capienza | capacidade lotação | вместимость | 容量 | 収容人数 | 수용인원 | capaciteit | pojemność
founded     | gegründet gründung gründungsjahr | fondé fondée date_de_fondation | fundado fundada año_de_fundación | fondato fondata anno_di_fondazione | | основан основана год_основания | 成立 成立时间 成立日期 创立 | 設立 創業 創立 | 설립 창립 설립일 | opgericht | założono
born        | geboren | | | | | родился родилась | 出生 | | 출생
date_of_birth | geburtsdatum geburtstag | date_de_naissance | fecha_de_nacimiento | data_di_nascita | data_de_nascimento | дата_рождения | 出生日期 生日 | 生年月日 誕生日 | 생년월일 생일
died        | gestorben todestag sterbedatum | date_de_décès | fallecimiento | data_di_morte | falecimento | дата_смерти | 逝世 去世 | 没年 死没 | 사망
place_of_birth | geburtsort | lieu_de_naissance | lugar_de_nacimiento | luogo_di_nascita | local_de_nascimento | место_рождения | 出生地 | 出生地 | 출생지
place_of_death | sterbeort | lieu_de_décès | lugar_de_fallecimiento | luogo_di_morte | | место_смерти | | 死没地 |
spouse      | ehepartner ehefrau ehemann | conjoint époux épouse | cónyuge esposa esposo | coniuge moglie marito | cônjuge marido | супруг супруга жена муж | 配偶 妻子 丈夫 | 配偶者 | 배우자
children    | kinder | enfants | hijos | figli | filhos | дети | 子女 | | 자녀
parents     | eltern | | | genitori | | родители | 父母 | 両親 | 부모
license     | lizenz | | licencia | licenza | licença | лицензия | 许可证 | ライセンス | 라이선스
email       | | courriel | correo correo_electrónico | posta_elettronica | correio_eletrônico | почта эл_почта электронная_почта | 邮箱 电子邮件 電子郵件 | メール メールアドレス | 이메일
phone       | telefon telefonnummer | téléphone | teléfono | telefono | telefone | телефон | 电话 電話 手机 | 電話 電話番号 | 전화 전화번호
address     | adresse anschrift | | dirección | indirizzo | endereço morada | адрес | 地址 | 住所 | 주소
website     | webseite | site_web | sitio_web página_web | sito sito_web | | сайт | 网站 网址 官网 | ウェブサイト | 웹사이트 홈페이지
depends_on  | abhängig_von | dépend_de | depende_de | dipende_da | | зависит_от | 依赖 | 依存 | | afhankelijk_van | zależy_od
part_of     | teil_von gehört_zu | partie_de fait_partie_de | parte_de | parte_di | | | 属于 隶属 | | | onderdeel_van | część
"""
"""English words, then those of German, French, Spanish, Italian, Portuguese, Russian, Chinese, Japanese, Korean, Dutch,
Polish, with ``_`` for a space. No word is here that English has too (*see*, *data*, *cargo*), nor one of two meanings (*estado*)."""
_ENDED_IN = re.compile(r"_(?:in|innen|r|n|e|s|a|as|es|trice)$")
"""Of words that name men and women in one: ``Leiter/in``, ``Verantwortliche(r)``, ``Auteur(s)``."""
_COMMA = frozenset({"de", "fr", "es", "it", "pt", "ru", "nl", "pl"})
"""Languages that write 1.000,5 or 1 000,5."""


def _plain(word: str) -> str:
    """A word in small letters without accents, as lists have it that are typed in a hurry."""
    parts = unicodedata.normalize("NFKD", word.casefold())
    return unicodedata.normalize("NFC", re.sub("[\u0300-\u036f]", "", parts))


def _read() -> tuple[dict[str, str], frozenset[str]]:
    meanings: dict[str, str] = {}
    comma: set[str] = set()
    for line in _TABLE.strip().splitlines():
        english, *cells = (cell.strip() for cell in line.split("|"))
        for language, cell in zip(_LANGUAGES, cells, strict=False):
            for word in map(_plain, cell.split()):
                meanings.setdefault(word, english)
                if language in _COMMA:
                    comma.add(word)
    return meanings, frozenset(comma)


_MEANINGS, _WITH_COMMA = _read()


@lru_cache(maxsize=8192)
def _known(word: str) -> str:
    """The word of the table that a key is, whoever it names; empty where it is none."""
    plain = _plain(word)
    return next((one for one in (plain, _ENDED_IN.sub("", plain)) if one in _MEANINGS), "")


def english_word(word: str) -> str:
    """What a key in another language means, in one spelling; the key itself where that is not known."""
    return _MEANINGS.get(_known(word), word)


def has_comma(word: str) -> bool:
    """Whether a key is of a language that writes a comma before decimals, and points or spaces between thousands."""
    return _known(word) in _WITH_COMMA
