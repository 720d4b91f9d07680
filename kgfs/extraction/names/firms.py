"""Firms and bodies that are known by name everywhere, and that the tagger takes for products, persons or places.

Used for the types of names; pure. Only names that mean little else where they stand with a capital, and whose products
have names of their own: *Slack* and *Zoom* are products in most texts, *Apple* and *Amazon* seldom fruit or river.
"""

from __future__ import annotations

FIRMS = frozenset(
    "Adobe|Airbnb|Alibaba|Amazon|Apache Software Foundation|Apple|Autodesk|Bloomberg|Boeing|Bosch|Broadcom|Cisco|"
    "Citigroup|Cloudflare|CNCF|Comcast|Dell|Deloitte|eBay|Ericsson|Facebook|FEMA|Fujitsu|Goldman Sachs|Google|"
    "GSA|Honeywell|Huawei|IBM|Infosys|Intel|Lenovo|Linux Foundation|Lockheed Martin|McKinsey|Microsoft|"
    "Morgan Stanley|Mozilla|NASA|NATO|Netflix|NHS|NHS England|NIST|Nokia|NVIDIA|Nvidia|OECD|OpenAI|OpenSSF|Oracle|"
    "Panasonic|Porsche|"
    "PayPal|Pfizer|Qualcomm|Red Hat|Salesforce|Samsung|SAP|Siemens|Sony|Spotify|Toshiba|Toyota|Uber|UNESCO|"
    "UNICEF|VMware|Volkswagen|Walmart|Wikimedia Foundation|Xerox|Yahoo|Zalando".split("|")
)
