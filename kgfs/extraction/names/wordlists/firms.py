"""Firms and bodies that are known by name everywhere, and that the tagger takes for products, persons or places.

Used for the types of names; pure. Only names that mean little else where they stand with a capital, and whose products
have names of their own: *Slack* and *Zoom* are products in most texts, *Apple* and *Amazon* seldom fruit or river.
"""

from __future__ import annotations

FIRMS = frozenset(
    "Accenture|Adobe|African Union|Airbnb|Akamai|Alibaba|Amazon|Andreessen Horowitz|Anthropic|"
    "Apache Software Foundation|Apple|ASEAN|AT&T|Atlassian|Autodesk|Baidu|Bank of England|Barclays|BBC|BBSRC|"
    "BlackRock|Bloomberg|Boeing|Bosch|British Library|Broadcom|Brookings Institution|ByteDance|Cabinet Office|"
    "Canonical|Capgemini|Census Bureau|CERN|Chan Zuckerberg Initiative|CIA|Cisco|Citigroup|"
    "Cloud Native Computing Foundation|Cloudera|Cloudflare|CNBC|CNCF|CNN|CNRS|Code for America|Comcast|"
    "Companies House|Council of Europe|Creative Commons|DARPA|DeepMind|Defra|Dell|Deloitte|Deutsche Telekom|DfE|"
    "DHS|DHSC|DigitalOcean|DoD|DOJ|DVLA|DWP|eBay|Eclipse Foundation|Ecma International|"
    "Electronic Frontier Foundation|EMBL|Environment Agency|EPA|EPSRC|Equinix|Ericsson|Etsy|EU|"
    "European Central Bank|European Commission|European Parliament|European Union|Europol|FAA|Facebook|FBI|FCC|"
    "FDA|Federal Reserve|FEMA|Ford Foundation|Free Software Foundation|FTC|Fujitsu|GAO|Gates Foundation|GDS|"
    "Goldman Sachs|Google|Government Digital Service|Grafana Labs|GSA|HashiCorp|Helmholtz Association|Heptio|"
    "Hetzner|HHS|HM Revenue and Customs|HM Treasury|HMRC|Home Office|Honeywell|HSBC|Huawei|Hugging Face|IAEA|IANA|"
    "IBM|ICANN|IEEE|IETF|IMF|Infosys|INRIA|Inria|Intel|Internet Archive|Internet Engineering Task Force|INTERPOL|"
    "Interpol|Intuit|IPCC|IRS|Isovalent|JetBrains|JISC|Jisc|Joyent|JPMorgan|JPMorgan Chase|Lenovo|"
    "Library of Congress|Linode|Linux Foundation|Lockheed Martin|Lyft|Mastercard|Max Planck Society|McKinsey|"
    "Met Office|Meta Platforms|MHRA|Microsoft|Ministry of Defence|Ministry of Justice|Mirantis|MIT|Morgan Stanley|"
    "Mozilla|Mozilla Foundation|NASA|NATO|NBC|NCSC|Netflix|NHS|NHS Digital|NHS England|NIH|NIHR|NIST|NOAA|"
    "NodeSource|Nokia|NSA|NSF|NumFOCUS|NVIDIA|Nvidia|OECD|Ofcom|Office for National Statistics|Ofsted|OMB|ONS|"
    "OPEC|Open Philanthropy|Open Source Initiative|OpenAI|OpenJS Foundation|OpenSSF|Oracle|Ordnance Survey|"
    "OVHcloud|Panasonic|PayPal|Percona|Pfizer|Porsche|Python Software Foundation|Qualcomm|Rackspace|Rakuten|"
    "RAND Corporation|Red Hat|Salesforce|Samsung|SAP|SEC|Sequoia Capital|Siemens|Sloan Foundation|"
    "Smithsonian Institution|SoftBank|Software Freedom Conservancy|Sony|SpaceX|Spotify|Stripe|SUSE|Sysdig|"
    "T-Mobile|Tencent|Tesla|ThoughtWorks|Thoughtworks|Tigera|Toshiba|Toyota|Uber|UKHSA|UKRI|UN|UNCTAD|UNDP|UNESCO|"
    "UNHCR|UNICEF|United Nations|USAID|USCIS|USDA|USDS|USPS|USPTO|Verizon|VMware|Vodafone|Volkswagen|W3C|Walmart|"
    "Weaveworks|Wellcome Sanger Institute|Wellcome Trust|WHATWG|WHO|Wikimedia|Wikimedia Foundation|WIPO|World Bank|"
    "World Wide Web Consortium|WTO|Xerox|Y Combinator|Yahoo|Zalando".split("|")
)
