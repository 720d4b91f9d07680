"""Firms and bodies that are known by name everywhere, and that the tagger takes for products, persons or places.

Used for the types of names; pure. Only names that mean little else where they stand with a capital, and whose products
have names of their own: *Slack* and *Zoom* are products in most texts, *Apple* and *Amazon* seldom fruit or river.
"""

from __future__ import annotations

FIRMS = frozenset(
    "Adobe|Airbnb|Alibaba|Amazon|Anthropic|Apache Software Foundation|Apple|Autodesk|BBC|Bloomberg|Boeing|Bosch|"
    "Broadcom|CERN|CIA|Cisco|Citigroup|Cloudflare|CNBC|CNCF|CNN|Comcast|DARPA|DeepMind|Dell|Deloitte|eBay|EPA|"
    "Ericsson|EU|European Union|FAA|Facebook|FBI|FCC|FDA|Federal Reserve|FEMA|FTC|Fujitsu|Goldman Sachs|Google|"
    "GSA|Honeywell|Huawei|Hugging Face|IBM|IEEE|IETF|IMF|Infosys|Intel|JPMorgan|JPMorgan Chase|Lenovo|"
    "Linux Foundation|Lockheed Martin|Mastercard|McKinsey|Microsoft|MIT|Morgan Stanley|Mozilla|NASA|NATO|NBC|"
    "Netflix|NHS|NHS England|NIH|NIST|Nokia|NSA|NSF|NVIDIA|Nvidia|OECD|OpenAI|OpenSSF|Oracle|Panasonic|PayPal|"
    "Pfizer|Porsche|Qualcomm|Red Hat|Salesforce|Samsung|SAP|SEC|Siemens|Sony|SpaceX|Spotify|Stripe|Tesla|Toshiba|"
    "Toyota|Uber|UN|UNESCO|UNHCR|UNICEF|United Nations|USAID|VMware|Volkswagen|W3C|Walmart|WHATWG|WHO|"
    "Wikimedia Foundation|World Bank|WTO|Xerox|Yahoo|Zalando".split("|")
)
